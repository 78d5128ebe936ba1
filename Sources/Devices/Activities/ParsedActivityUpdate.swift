import Timeline
import WireFormats

/// A push to a running activity, parsed. A deferred push is not parsed again when it is released.
///
/// A class because it is passed around often; it is immutable.
package final class ParsedActivityUpdate: Hashable, Sendable {
  enum Alert: Hashable, Sendable {
    case none
    case object
    /// `ActivityPayload.hasIgnoredAlert`.
    case ignored
  }

  /// Documented: for attributes and content state together.
  static let mostBytes = 4096

  package let event: ActivityEvent
  let timestamp: Double?
  let staleDate: Instant?
  let dismissalDate: Instant?
  let relevance: Double
  let alert: Alert
  let hasContent: Bool
  let hasAttributes: Bool
  let hasPayloadRemarks: Bool
  /// Documented: attributes and content state together have at most 4,096 bytes.
  let fits: Bool
  /// The type that its content state was decoded as, and the result.
  private let decoder: ContentDecoder?
  private let verdict: ContentVerdict
  private let bodyCount: Int
  /// The push parsed for another type, while the activity's type is not known yet.
  private let other: ParsedActivityUpdate?

  /// - Parameter attributes: size in bytes of the activity's attributes, which never change.
  init(
    _ payload: ActivityPayload, event: ActivityEvent, request: HTTPRequest, as decoder: ContentDecoder?,
    beside attributes: Int, or other: ParsedActivityUpdate? = nil
  ) {
    self.other = other
    bodyCount = request.bodyCount
    self.event = event
    self.decoder = decoder
    timestamp = payload.timestamp
    staleDate = payload.staleDate
    dismissalDate = payload.dismissalDate
    relevance = payload.relevance
    alert = payload.hasIgnoredAlert ? .ignored : payload.alert == nil ? .none : .object
    hasContent = payload.contentState != nil
    hasAttributes = payload.hasAttributes
    hasPayloadRemarks = !payload.allRemarks.isEmpty
    fits = payload.fits(request, beside: attributes)
    // An end without content keeps the current content, so nothing is decoded.
    verdict = event == .update || hasContent ? payload.contentVerdict(decoder) : ContentVerdict()
  }

  package static func == (left: ParsedActivityUpdate, right: ParsedActivityUpdate) -> Bool {
    left === right
      || left.event == right.event && left.timestamp == right.timestamp && left.staleDate == right.staleDate
        && left.dismissalDate == right.dismissalDate && left.relevance == right.relevance
        && left.alert == right.alert && left.hasContent == right.hasContent
        && left.hasAttributes == right.hasAttributes && left.hasPayloadRemarks == right.hasPayloadRemarks
        && left.fits == right.fits && left.decoder == right.decoder
        && left.verdict == right.verdict
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(event)
    hasher.combine(timestamp)
  }

  /// Parses an update or end before its phone is known: once for each activity type of its app.
  ///
  /// - Parameter decoders: decoders of these types' content states.
  /// - Returns: nil if it is neither an update nor an end. Then each phone parses it and reports what is wrong.
  package static func read(_ request: HTTPRequest, for decoders: [ContentDecoder?]) -> ParsedActivityUpdate? {
    guard !decoders.isEmpty else { return nil }
    let storage = request.storage
    let read = try? JSONNode.read(storage.span, in: request.bodyStart..<storage.count) {
      root -> ParsedActivityUpdate? in
      guard let payload = ActivityPayload(root), let event = payload.event, event != .start else { return nil }
      var reading: ParsedActivityUpdate?
      for decoder in decoders {
        reading = ParsedActivityUpdate(payload, event: event, request: request, as: decoder, beside: 0, or: reading)
      }
      return reading
    }
    return read ?? nil
  }

  /// The parsed update for an activity; nil if it must be parsed for the activity's type, or measured with its
  /// attributes.
  ///
  /// - Parameter attributes: size in bytes of the activity's attributes.
  func reading(as wanted: ContentDecoder?, beside attributes: Int) -> ParsedActivityUpdate? {
    guard attributes + bodyCount <= Self.mostBytes else { return nil }
    if wanted === decoder { return self }
    return other?.reading(as: wanted, beside: attributes)
  }

  /// The result of decoding its content state as a type. Decodes again unless it was decoded as that type.
  func contentVerdict(_ wanted: ContentDecoder?, _ push: ArrivingPush) -> ContentVerdict {
    if wanted === decoder { return verdict }
    return (push.read { ActivityPayload($0)?.contentVerdict(wanted) } ?? nil) ?? ContentVerdict()
  }
}

extension ActivityPayload {
  func contentFailure(_ decoder: ContentDecoder?) -> String? { contentVerdict(decoder).failure }

  func contentVerdict(_ decoder: ContentDecoder?) -> ContentVerdict {
    guard let content = contentState else {
      return ContentVerdict(failure: "content-state is missing; it must be an object")
    }
    guard content.isObject else { return ContentVerdict(failure: "content-state must be an object") }
    return decoder?.verdict(on: content, at: "content-state") ?? ContentVerdict()
  }

  func fits(_ request: HTTPRequest, beside attributes: Int) -> Bool {
    // The content is part of the body, so usually nothing needs to be counted.
    if attributes + request.bodyCount <= ParsedActivityUpdate.mostBytes { return true }
    return attributes + (contentState?.whole.text.utf8.count ?? 0) <= ParsedActivityUpdate.mostBytes
  }
}
