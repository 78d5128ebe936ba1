import WireFormats

/// A push with nothing wrong, for a test to spoil one thing.
struct Push {
  /// The token of a Live Activity that the gate's directory knows.
  static let token = "80" + String(repeating: "ab", count: 79)

  var method = "POST"
  var path = "/3/device/" + token
  var scheme = "bearer "
  var jwt = JWT()
  /// Takes the place of the whole `authorization` header; empty for none.
  var authorization: String?
  var fields: [(name: String, value: String)] = [
    (name: "apns-topic", value: "com.example.app.push-type.liveactivity"),
    (name: "apns-push-type", value: "liveactivity"),
    (name: "apns-priority", value: "10"),
  ]
  var body = Array(#"{"aps":{"timestamp":1700000000,"event":"update","content-state":{"runs":4}}}"#.utf8)

  /// Sets a header, or leaves it out.
  mutating func set(_ name: String, _ value: String?) {
    fields.removeAll { $0.name == name }
    if let value { fields.append((name: name, value: value)) }
  }

  func with(_ name: String, _ value: String?) -> Push {
    var push = self
    push.set(name, value)
    return push
  }

  /// A push to an app's own token.
  static var alert: Push {
    var push = Push()
    push.path = "/3/device/" + Gate.appToken
    push.set("apns-topic", "com.example.app")
    push.set("apns-push-type", "alert")
    return push
  }

  var request: HTTPRequest {
    let authorization = authorization ?? scheme + jwt.text
    return HTTPRequest(
      method, path,
      fields: fields + (authorization.isEmpty ? [] : [(name: "authorization", value: authorization)]), body: body)
  }
}
