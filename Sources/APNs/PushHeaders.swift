import WireFormats

/// The ranges of a request's parts in its bytes; nothing is checked yet.
///
/// Names are compared by length first, so that a field costs one or two comparisons.
struct PushHeaders {
  enum Path {
    /// `/3/device/…`: the range of the token; empty if the token is missing.
    case device(token: Range<Int>)
    case unknown
  }

  var isPost = false
  var path = Path.unknown
  var authorization: Range<Int>?
  var topic: Range<Int>?
  var pushType: Range<Int>?
  var id: Range<Int>?
  var expiration: Range<Int>?
  var priority: Range<Int>?
  var collapseID: Range<Int>?
  var requestID: Range<Int>?
  var channelID: Range<Int>?
  var hasDuplicate = false

  init(_ request: HTTPRequest) {
    let bytes = request.storage.span
    var cursor = HTTPFieldCursor()
    while let field = cursor.next(in: bytes, end: request.bodyStart) {
      store(field, in: bytes)
    }
  }

  private mutating func store(_ field: HTTPFieldCursor.Field, in bytes: Span<UInt8>) {
    let name = field.name
    switch name.count {
    case 5 where bytes.holds(name, ":path"): path = Self.path(bytes, field.value)
    case 7:
      if bytes.holds(name, ":method") {
        isPost = bytes.holds(field.value, "POST")
      } else if bytes.holds(name, "apns-id") {
        hasDuplicate = Self.keep(field.value, in: &id) || hasDuplicate
      }
    case 10 where bytes.holds(name, "apns-topic"): hasDuplicate = Self.keep(field.value, in: &topic) || hasDuplicate
    case 13:
      if bytes.holds(name, "authorization") {
        hasDuplicate = Self.keep(field.value, in: &authorization) || hasDuplicate
      } else if bytes.holds(name, "apns-priority") {
        hasDuplicate = Self.keep(field.value, in: &priority) || hasDuplicate
      }
    case 14 where bytes.holds(name, "apns-push-type"):
      hasDuplicate = Self.keep(field.value, in: &pushType) || hasDuplicate
    case 15:
      if bytes.holds(name, "apns-expiration") {
        hasDuplicate = Self.keep(field.value, in: &expiration) || hasDuplicate
      } else if bytes.holds(name, "apns-request-id") {
        hasDuplicate = Self.keep(field.value, in: &requestID) || hasDuplicate
      } else if bytes.holds(name, "apns-channel-id") {
        hasDuplicate = Self.keep(field.value, in: &channelID) || hasDuplicate
      }
    case 16 where bytes.holds(name, "apns-collapse-id"):
      hasDuplicate = Self.keep(field.value, in: &collapseID) || hasDuplicate
    default: break
    }
  }

  /// Assumed: `authorization` and the `apns-*` headers that APNs defines count as duplicates; Apple does not say which
  /// headers do.
  private static func keep(_ value: Range<Int>, in slot: inout Range<Int>?) -> Bool {
    defer { slot = value }
    return slot != nil
  }

  private static func path(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Path {
    let prefix: StaticString = "/3/device/"
    let tokenStart = value.lowerBound + prefix.utf8CodeUnitCount
    guard tokenStart <= value.upperBound, bytes.holds(value.lowerBound..<tokenStart, prefix) else { return .unknown }
    return .device(token: tokenStart..<value.upperBound)
  }
}
