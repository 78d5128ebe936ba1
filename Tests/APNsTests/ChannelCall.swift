import WireFormats

/// A request to one of the broadcast interfaces with nothing wrong, for a test to spoil one thing.
struct ChannelCall {
  static let app = "com.example.app"

  var method: String
  var path: String
  var jwt = JWT()
  /// Takes the place of the whole `authorization` header; empty for none.
  var authorization: String?
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []

  /// A new channel that stores its most recent message.
  static func create(policy: Int = 1, app: String = app) -> ChannelCall {
    ChannelCall(method: "POST", path: "/1/apps/\(app)/channels")
      .saying(#"{"message-storage-policy":\#(policy),"push-type":"LiveActivity"}"#)
  }

  static func read(_ channel: String, app: String = app) -> ChannelCall {
    ChannelCall(method: "GET", path: "/1/apps/\(app)/channels").with("apns-channel-id", channel)
  }

  static func delete(_ channel: String, app: String = app) -> ChannelCall {
    ChannelCall(method: "DELETE", path: "/1/apps/\(app)/channels").with("apns-channel-id", channel)
  }

  static func list(app: String = app) -> ChannelCall { ChannelCall(method: "GET", path: "/1/apps/\(app)/all-channels") }

  static func publish(to channel: String, app: String = app) -> ChannelCall {
    ChannelCall(method: "POST", path: "/4/broadcasts/apps/\(app)")
      .with("apns-channel-id", channel).with("apns-push-type", "liveactivity").with("apns-priority", "10")
      .with("apns-expiration", "0")
      .saying(#"{"aps":{"timestamp":1700000000,"event":"update","content-state":{"runs":4}}}"#)
  }

  /// With a header set, or left out.
  func with(_ name: String, _ value: String?) -> ChannelCall {
    var call = self
    call.fields.removeAll { $0.name == name }
    if let value { call.fields.append((name: name, value: value)) }
    return call
  }

  func saying(_ body: String) -> ChannelCall {
    var call = self
    call.body = Array(body.utf8)
    return call
  }

  func changed(_ change: (inout ChannelCall) -> Void) -> ChannelCall {
    var call = self
    change(&call)
    return call
  }

  var request: HTTPRequest {
    let authorization = authorization ?? "bearer " + jwt.text
    return HTTPRequest(
      method, path,
      fields: fields + (authorization.isEmpty ? [] : [(name: "authorization", value: authorization)]), body: body)
  }
}
