import WireFormats

/// What the body of a request to make a channel says.
///
/// Documented: `{"message-storage-policy":0 or 1,"push-type":"LiveActivity"}` ("Sending channel management requests to
/// APNs").
struct ChannelOrder {
  /// It is one JSON object.
  var isReadable = false
  /// It has no member beside the two.
  var isKnown = true
  var policy: StoragePolicy?
  /// The push type as it is written; empty where it is no string.
  var pushType: String?

  init(_ request: HTTPRequest) {
    let storage = request.storage
    guard let value = try? JSONNode.read(storage.span, request.bodyStart..<storage.count, \.whole),
      let members = value.members
    else { return }
    isReadable = true
    for member in members {
      switch member.key {
      case "message-storage-policy":
        policy = member.value.integer.flatMap { Int(exactly: $0) }.flatMap { StoragePolicy(rawValue: $0) }
      case "push-type": pushType = member.value.string ?? ""
      default: isKnown = false
      }
    }
  }
}
