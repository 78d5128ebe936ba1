import Timeline
import WireFormats

/// What a push says to a running activity, taken out of its JSON: one that is held is not read again when it is let go.
struct ActivityReading: Hashable, Sendable {
  enum Alert: Hashable, Sendable {
    case none
    case object
    /// No object, or beside `aps`.
    case ignored
  }

  let event: ActivityPayload.Event
  let timestamp: Double?
  let staleDate: Instant?
  let dismissalDate: Instant?
  let relevance: Double
  let alert: Alert
  let hasContent: Bool
  let hasAttributes: Bool
  /// Documented: attributes and content state are at most 4,096 bytes together.
  var fits: Bool
  /// The type its content state was decoded as, and what was wrong with it then.
  private let decoder: ContentDecoder?
  private let failure: String?

  /// - Parameter attributes: bytes of the activity's attributes, which never change.
  init(
    _ payload: ActivityPayload, _ event: ActivityPayload.Event, _ request: HTTPRequest, as decoder: ContentDecoder?,
    beside attributes: Int
  ) {
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
    ActivityReading.fits(attributes, body: request.bodyCount) { contentState?.whole.text.utf8.count ?? 0 }
  }
}

extension ActivityReading {
  /// - Parameters:
  ///   - attributes: bytes of the attributes.
  ///   - body: bytes of the payload.
  ///   - content: counts the bytes of the content state.
  static func fits(_ attributes: Int, body: Int, content: () -> Int) -> Bool {
    // The content is part of the body, so mostly there is nothing to count.
    attributes + body <= 4096 || attributes + content() <= 4096
  }
}
