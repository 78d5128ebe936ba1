import APNs
import Devices
import Simulation
import WireFormats

/// The pushes of a match, as a backend would send them.
enum Push {
  static let app = "com.example.app"
  private static let topic = app + ".push-type.liveactivity"

  static let profile = AppProfile(
    bundleID: app, teamID: FleetPlan.standardTeam,
    types: [
      AttributesType(
        "MatchAttributes", attributes: .object([.init("matchId", .string)]),
        contentState: .object([.init("home", .int), .init("away", .int), .init("minute", .int), .init("text", .string)])
      )
    ])

  private static let authorization: String = {
    let parts = [#"{"alg":"ES256","kid":"KEY0000001"}"#, #"{"iss":"PUSHPIT001","iat":1760000000}"#].map {
      Array($0.utf8)
    }
    let texts = (parts + [[UInt8](repeating: 7, count: 64)]).map { Base64URL.encode($0) }
    return "bearer " + texts.joined(separator: ".")
  }()

  private static let text = String(repeating: "x", count: 380)

  static func start(_ token: String, at seconds: Int64) -> HTTPRequest {
    request(
      token, priority: 10,
      #"{"aps":{"timestamp":\#(seconds),"event":"start","attributes-type":"MatchAttributes","attributes":{"matchId":"7"},"#
        + #""content-state":{"home":0,"away":0,"minute":0,"text":"\#(text)"},"alert":{"title":"Match","body":"It begins"}}}"#
    )
  }

  static func update(_ token: String, _ minute: Int, _ isImmediate: Bool, at seconds: Int64) -> HTTPRequest {
    request(
      token, priority: isImmediate ? 10 : 5,
      #"{"aps":{"timestamp":\#(seconds),"event":"update","stale-date":\#(seconds + 300),"#
        + #""content-state":{"home":\#(minute / 7),"away":\#(minute / 9),"minute":\#(minute),"text":"\#(text)"}}}"#)
  }

  static func end(_ token: String, at seconds: Int64) -> HTTPRequest {
    request(token, priority: 10, #"{"aps":{"timestamp":\#(seconds),"event":"end","dismissal-date":\#(seconds + 900)}}"#)
  }

  private static func request(_ token: String, priority: Int, _ body: String) -> HTTPRequest {
    HTTPRequest(
      "POST", "/3/device/" + token,
      fields: [
        (name: "authorization", value: authorization), (name: "apns-topic", value: topic),
        (name: "apns-push-type", value: "liveactivity"), (name: "apns-priority", value: "\(priority)"),
      ], body: Array(body.utf8))
  }
}
