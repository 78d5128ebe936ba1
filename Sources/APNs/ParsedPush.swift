import Timeline
import WireFormats

/// A push request and its parsed headers: each is located once, and each value is parsed once.
///
/// Shared by everything that reads the push later: rules, faults, the device, the push log, sessions and filters. A
/// simulated provider sends one to many devices; then only the device token in the path differs.
package final class ParsedPush: Sendable {
  package let request: HTTPRequest
  package let environment: Environment
  /// The client's own id, if it is valid.
  package let id: NotificationID?
  package let type: PushType?
  /// Nil if the header is missing or invalid.
  package let requestedPriority: Priority?
  /// Nil if the header is missing or invalid. Without the header, a push is stored for as long as APNs stores any.
  package let expiration: Instant?
  let headers: PushHeaders
  /// Makes the token of each device that gets this push; nil if the push is for one device only.
  private let makeToken: (@Sendable (Address) -> DeviceToken)?

  /// - Parameter makeToken: for a push to many devices. The tokens must be as long as the one in the request.
  package init(
    _ request: HTTPRequest, in environment: Environment, makeToken: (@Sendable (Address) -> DeviceToken)? = nil
  ) {
    self.request = request
    self.environment = environment
    self.makeToken = makeToken
    let headers = PushHeaders(request)
    self.headers = headers
    let bytes = request.storage.span
    id = headers.id.flatMap { NotificationID(bytes, $0) }
    type = headers.pushType.flatMap { PushType.named(bytes, $0) }
    requestedPriority = headers.priority.flatMap { Priority.named(bytes, $0) }
    expiration = headers.expiration.flatMap { bytes.decimal($0) }.map { Instant(seconds: $0) }
  }

  /// Documented: without the header a push has priority 10.
  package var priority: Priority { requestedPriority ?? .immediate }

  // MARK: - Ranges of its parts in the request's bytes

  package var topicRange: Range<Int>? { headers.topic }
  package var authorizationRange: Range<Int>? { headers.authorization }
  package var typeRange: Range<Int>? { headers.pushType }
  package var priorityRange: Range<Int>? { headers.priority }
  package var expirationRange: Range<Int>? { headers.expiration }
  /// Nil without the header. Assumed: an empty id that is accepted collapses nothing.
  package var collapseIDRange: Range<Int>? { headers.collapseID.flatMap { $0.isEmpty ? nil : $0 } }
  package var payloadRange: Range<Int> { request.bodyStart..<request.storage.count }

  /// The range of the device token in the path; empty if the token is missing, nil for another path.
  package var tokenRange: Range<Int>? {
    if case .device(let token) = headers.path { token } else { nil }
  }

  /// The device token in the path; nil if the path has no valid token.
  package var deviceToken: DeviceToken? {
    let storage = request.storage
    return tokenRange.flatMap { DeviceToken(storage.span, $0) }
  }

  /// The hexadecimal digits of the device token in the path of the push to this address.
  package func token(to address: Address?) -> ArraySlice<UInt8>? {
    guard let makeToken, let address else { return tokenRange.map { request.storage[$0] } }
    return Array(makeToken(address).text.utf8)[...]
  }

  /// The request to this address, as it would be written.
  package func request(to address: Address?) -> HTTPRequest {
    guard makeToken != nil, let range = tokenRange, let token = token(to: address), token.count == range.count else {
      return request
    }
    var storage = request.storage
    storage.replaceSubrange(range, with: token)
    return HTTPRequest(storage: storage, bodyStart: request.bodyStart)
  }

  /// True if the payload is an `update` or `end`, which needs an activity.
  var wantsActivity: Bool {
    let storage = request.storage
    let event = try? JSONNode.read(storage.span, in: payloadRange) { $0["aps"]?["event"]?.string }
    return event == "update" || event == "end"
  }

  /// True if the priority may be used with the push type. Documented: without the header the priority is 10.
  @inline(__always)
  func hasPriority(strict: Bool) -> Bool {
    (headers.priority == nil || requestedPriority != nil) && (type?.allows(priority, strict: strict) ?? true)
  }

  /// Documented: at most 64 bytes. Unknown: the answer to an empty value.
  @inline(__always)
  func hasCollapseID(strict: Bool) -> Bool {
    headers.collapseID.map { $0.count <= 64 && !(strict && $0.isEmpty) } ?? true
  }

  /// True if the push type, if there is one, may be used with that topic. Observed: iOS needs no push type.
  @inline(__always)
  func hasType(for topic: Topic?) -> Bool {
    guard let type, let topic else { return true }
    return type.suffix == topic.suffix && type.isFor(topic)
  }

  package func hasTopic(_ topic: Span<UInt8>) -> Bool {
    let storage = request.storage
    return headers.topic.map { storage.span.holds($0, topic) } ?? false
  }

  /// The text of one of these ranges.
  package func text(_ range: Range<Int>) -> String {
    let storage = request.storage
    return storage.span.text(range)
  }
}
