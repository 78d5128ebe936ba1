import Timeline
import WireFormats

/// What a push says to a running activity, taken out of its JSON: one that is held is not read again when it is let go.
///
/// By reference: it goes through many hands, and nothing of it changes.
package final class ParsedActivityUpdate: Hashable, Sendable {
  enum Alert: Hashable, Sendable {
    case none
    case object
    /// No object, or beside `aps`.
    case ignored
  }

  /// Documented: of attributes and content state together.
  static let mostBytes = 4096

  package let event: ActivityEvent
  let timestamp: Double?
  let staleDate: Instant?
  let dismissalDate: Instant?
  let relevance: Double
  let alert: Alert
  let hasContent: Bool
  let hasAttributes: Bool
  /// Documented: attributes and content state are at most 4,096 bytes together.
  let fits: Bool
  /// The type its content state was decoded as, and what was wrong with it then.
  private let decoder: ContentDecoder?
  private let failure: String?
  private let bodyCount: Int
  /// The same for another type, where it is not known yet of which type the activity is.
  private let other: ParsedActivityUpdate?

  /// - Parameter attributes: bytes of the activity's attributes, which never change.
  init(
    _ payload: ActivityPayload, _ event: ActivityEvent, _ request: HTTPRequest, as decoder: ContentDecoder?,
    beside attributes: Int, or other: ParsedActivityUpdate? = nil
  ) {
    self.other = other
    bodyCount = request.bodyCount
    self.event = event
    self.decoder = decoder
    timestamp = payload.timestamp
    staleDate = payload.staleDate
    dismissalDate = event == .end ? payload.dismissalDate : nil
    relevance = payload.relevance
    if let given = payload.alert {
      alert = given.isObject ? .object : .ignored
    } else {
      alert = payload.hasStrayAlert ? .ignored : .none
    }
    hasContent = payload.contentState != nil
    hasAttributes = payload.hasAttributes
    fits = payload.fits(request, beside: attributes)
    // An end may leave the content as it is, and then has nothing to decode.
    failure = event == .update || hasContent ? payload.contentFailure(decoder) : nil
  }

  package static func == (left: ParsedActivityUpdate, right: ParsedActivityUpdate) -> Bool {
    left === right
      || left.event == right.event && left.timestamp == right.timestamp && left.staleDate == right.staleDate
        && left.dismissalDate == right.dismissalDate && left.relevance == right.relevance
        && left.alert == right.alert && left.hasContent == right.hasContent
        && left.hasAttributes == right.hasAttributes && left.fits == right.fits && left.decoder == right.decoder
        && left.failure == right.failure
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(event)
    hasher.combine(timestamp)
  }

  /// Reads an update or end before it is known which phone it is for: for each type of activity that its app has.
  ///
  /// - Parameter decoders: of the content states of these types.
  /// - Returns: nil where it is no update and no end. Each phone then reads it, and says what is wrong.
  package static func read(_ request: HTTPRequest, for decoders: [ContentDecoder?]) -> ParsedActivityUpdate? {
    guard !decoders.isEmpty else { return nil }
    let storage = request.storage
    let read = try? JSONNode.read(storage.span, request.bodyStart..<storage.count) { root -> ParsedActivityUpdate? in
      guard let payload = ActivityPayload(root), let event = payload.event, event != .start else { return nil }
      var reading: ParsedActivityUpdate?
      for decoder in decoders {
        reading = ParsedActivityUpdate(payload, event, request, as: decoder, beside: 0, or: reading)
      }
      return reading
    }
    return read ?? nil
  }

  /// What it says to an activity; nil where that has to be read for its type, or measured beside its attributes.
  ///
  /// - Parameter attributes: bytes of the activity's attributes.
  func reading(as wanted: ContentDecoder?, beside attributes: Int) -> ParsedActivityUpdate? {
    guard attributes + bodyCount <= Self.mostBytes else { return nil }
    if wanted === decoder { return self }
    return other?.reading(as: wanted, beside: attributes)
  }

  /// What is wrong with its content state for a type; read again where that is not the type it was read for.
  func contentFailure(_ wanted: ContentDecoder?, _ push: ArrivingPush) -> String? {
    if wanted === decoder { return failure }
    return push.read { ActivityPayload($0)?.contentFailure(wanted) } ?? nil
  }
}

extension ActivityPayload {
  func contentFailure(_ decoder: ContentDecoder?) -> String? {
    guard let content = contentState else { return "content-state: an object is missing" }
    guard content.isObject else { return "content-state: an object is wanted" }
    return decoder?.failure(content, at: "content-state")
  }

  func fits(_ request: HTTPRequest, beside attributes: Int) -> Bool {
    // The content is part of the body, so mostly there is nothing to count.
    if attributes + request.bodyCount <= ParsedActivityUpdate.mostBytes { return true }
    return attributes + (contentState?.whole.text.utf8.count ?? 0) <= ParsedActivityUpdate.mostBytes
  }
}
