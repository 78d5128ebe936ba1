import WireFormats

/// The Live Activities that a load run needs, started on phones by the admin API.
struct LoadPhones: Sendable {
  private let order: LoadOrder
  private let server: RunningServer
  /// Devices of one order.
  private static let portion = 1000

  init(_ order: LoadOrder, _ server: RunningServer) {
    self.order = order
    self.server = server
  }

  /// Starts an activity on as many phones as the run has tokens.
  ///
  /// - Parameter channel: the broadcast channel to which it subscribes; nil for an update token.
  /// - Returns: the number of activities.
  @discardableResult
  func startActivities(_ contentState: JSONValue?, channel: String? = nil) throws -> Int {
    let app = try order.app ?? server.firstApp()
    let devices = try LoadTokens.devices(order, app: app, server)
    var members: [JSONValue.Member] = [
      .init("do", "startActivity"), .init("app", .string(app)), .init("contentState", contentState ?? [:]),
    ]
    if let channel { members += [.init("pushType", "channel"), .init("channel", .string(channel))] }
    var (done, refusal) = (0, nil as String?)
    for start in stride(from: 0, to: devices.count, by: Self.portion) {
      let part = devices[start..<min(start + Self.portion, devices.count)]
      let selection: JSONValue = ["devices": .array(part.map { .string($0) })]
      let answer = try server.api.perform(
        AdminAPI.Order(post: ["v1", "actions"], .object(members + [.init("where", selection)])))
      done += answer.value["done"]?.integer.map { Int(clamping: $0) } ?? 0
      refusal = refusal ?? answer.value["firstRefusal"]?["sentence"]?.string
    }
    guard done > 0 else {
      let why = refusal.map { TerminalText.clean($0) } ?? "there is no device with the app \(app)."
      throw CommandFailure("\(server.admin) has no running Live Activity, and none could be started: \(why)")
    }
    return done
  }
}
