import WireFormats

/// A parsed path of the broadcast interfaces.
struct ChannelPath {
  enum Form: Hashable {
    /// `/4/broadcasts/apps/<bundle id>`
    case broadcast
    /// `/1/apps/<bundle id>/channels`
    case channels
    /// `/1/apps/<bundle id>/all-channels`
    case allChannels
  }

  let form: Form
  let bundleID: Range<Int>

  /// Parses the path of a request; if there are several paths, the last. Nil for any other path.
  init?(_ request: HTTPRequest) {
    let storage = request.storage
    let bytes = storage.span
    guard let range = request.lastValue(of: ":path") else { return nil }
    let parts = Self.parts(bytes, range)
    switch parts.count {
    case 5 where bytes.holds(parts[1], "4") && bytes.holds(parts[2], "broadcasts") && bytes.holds(parts[3], "apps"):
      form = .broadcast
      bundleID = parts[4]
    case 5 where bytes.holds(parts[1], "1") && bytes.holds(parts[2], "apps") && bytes.holds(parts[4], "channels"):
      form = .channels
      bundleID = parts[3]
    case 5 where bytes.holds(parts[1], "1") && bytes.holds(parts[2], "apps") && bytes.holds(parts[4], "all-channels"):
      form = .allChannels
      bundleID = parts[3]
    default: return nil
    }
    guard parts[0].isEmpty, !bundleID.isEmpty else { return nil }
  }

  /// The parts between the slashes, the ends included. With more than five parts, only the fact that there are more.
  private static func parts(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for index in range where bytes[index] == UInt8(ascii: "/") && parts.count < 6 {
      parts.append(start..<index)
      start = index + 1
    }
    parts.append(start..<range.upperBound)
    return parts
  }
}

extension HTTPRequest {
  /// The range of a field's last value.
  func lastValue(of name: StaticString) -> Range<Int>? {
    let bytes = storage.span
    var cursor = HTTPFieldCursor()
    var found: Range<Int>?
    while let field = cursor.next(in: bytes, end: bodyStart) {
      if bytes.holds(field.name, name) { found = field.value }
    }
    return found
  }
}

/// The operation that a request to the broadcast interfaces asks for.
///
/// Documented: methods and paths ("Sending channel management requests to APNs", "Sending broadcast push notification
/// requests to APNs").
package enum ChannelOperation: String, CaseIterable, Hashable, Sendable {
  case publish
  case create
  case read
  case delete
  case list

  /// The operations of management connections. Assumed: a path that belongs to the other kind of connection is unknown
  /// here; Apple serves the two from different hosts.
  static let managing: [ChannelOperation] = [.create, .read, .delete, .list]

  var form: ChannelPath.Form {
    switch self {
    case .publish: .broadcast
    case .create, .read, .delete: .channels
    case .list: .allChannels
    }
  }

  var method: StaticString {
    switch self {
    case .publish, .create: "POST"
    case .read, .list: "GET"
    case .delete: "DELETE"
    }
  }
}

/// The body of a request to create a channel.
///
/// Documented: `{"message-storage-policy":0 or 1,"push-type":"LiveActivity"}` ("Sending channel management requests to
/// APNs").
struct CreateChannelRequest {
  /// True if the body is a JSON object.
  var isReadable = false
  /// True if the object has no members besides the two documented ones.
  var isKnown = true
  var policy: StoragePolicy?
  private(set) var hasPolicyAsText = false
  /// The push type as written; empty if it is not a string.
  var pushType: String?

  init(_ request: HTTPRequest) {
    let storage = request.storage
    guard let value = try? JSONNode.read(storage.span, in: request.bodyStart..<storage.count, \.whole),
      let members = value.members
    else { return }
    isReadable = true
    for member in members {
      switch member.key {
      case "message-storage-policy":
        policy = member.value.integer.flatMap { Int(exactly: $0) }.flatMap { StoragePolicy(rawValue: $0) }
        hasPolicyAsText = member.value.string.flatMap { Int($0) }.flatMap { StoragePolicy(rawValue: $0) } != nil
      case "push-type": pushType = member.value.string ?? ""
      default: isKnown = false
      }
    }
  }
}
