import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Sends a push to a phone.
enum DevicePushRoutes {
  static let routes: [Route] = [
    Route(
      "POST /v1/devices/{id}/pushes", id: "sendPush", tag: .fleet,
      summary: "send a push to a device, signed with a key of the server",
      answer: send
    )
    .meaning(
      """
      For tests without a backend. The push takes APNs's whole way: it is signed with a key of the server,
      checked, recorded, struck by faults, and delivered. The answer is the push with its story. A push that
      APNs rejects is answered 200, too; its `answer` has the rejection. The connection is closed when APNs
      has decided, so an answer that a fault delays is never sent (`sent`).

      All members but the body of the push are optional. The token kind follows from the push type, and the
      push type from the payload: a Live Activity's `start` goes to a push-to-start token, its `update` and
      `end` to the update token of the newest running activity.
      """
    )
    .takes(.device)
    .body(
      .push,
      examples: [
        .init("alert", "An alert", value: ["payload": ["aps": ["alert": "Goal!"]]]),
        .init(
          "update", "An update of a Live Activity that is running",
          value: [
            "payload": ["aps": ["timestamp": 1772366400, "event": "update", "content-state": ["home": 1]]],
            "priority": 5,
          ]
        ),
      ]
    )
    .answers(
      .json("The push, as `GET /v1/pushes/{apnsId}` returns it.", PushJSON.schema), .notFound,
      .error(
        409, "The device has no such token, or Pushpit has made no key of the app's team.",
        example: [
          "error": "d3 has no token update: com.example.app has device and pushToStart MatchAttributes.",
          "code": "conflict", "field": "tokenKind", "path": "tokenKind",
        ]),
      .folderFailed,
      .busy)
  ]

  /// A rejection is an answer, too: the client asked what APNs does with the push.
  static func send(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let device = try DeviceRoutes.named(context, simulator)
    return .unlocked { [context] () throws(AdminProblem) in
      let push = try context.read(RequestBody.push) { fields throws(InputProblem) in try DevicePush(fields) }
      return .more { (context, simulator) throws(AdminProblem) in
        let target = try push.target(on: try DeviceRoutes.view(of: device, context, simulator))
        if push.hasAuthorization { return try send(push, to: target, authorization: nil, in: &context, on: &simulator) }
        return sign(push, to: target, context)
      }
    }
  }

  /// Signs apart, because a key is read from its file.
  private static func sign(_ push: DevicePush, to target: DevicePush.Target, _ context: AdminContext) -> AdminReply {
    let (keys, wall) = (context.server().keys, context.wall)
    return .apart { _ throws(AdminProblem) in
      let token = try token(for: target, with: keys, at: wall)
      return .more { (context, simulator) throws(AdminProblem) in
        try send(push, to: target, authorization: "bearer \(token)", in: &context, on: &simulator)
      }
    }
  }

  private static func token(
    for target: DevicePush.Target, with keys: [ServerDescription.Key], at wall: Instant
  ) throws(AdminProblem) -> String {
    let (team, app) = (target.app.teamID, target.app.bundleID)
    guard let key = keys.first(where: { $0.sign != nil && $0.isFor(team: team, app: app, target.environment) }),
      let sign = key.sign
    else {
      throw AdminProblem(
        409,
        "Pushpit has made no key of team \(team) for pushes to \(app) in \(target.environment.rawValue);"
          + " POST /v1/keys with {\"teamId\": \(Wording.quoted(team))} makes one.", field: "app")
    }
    do {
      return try sign(wall)
    } catch {
      throw AdminProblem(500, "The key \(key.keyID) cannot sign.")
    }
  }

  private static func send(
    _ push: DevicePush, to target: DevicePush.Target, authorization: String?, in context: inout AdminContext,
    on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let request = push.request(to: target, authorization: authorization)
    let sent = try LocalProvider.send(request, to: target.environment, as: "admin API", in: &context, on: &simulator)
    let names = simulator.world.names(for: [sent])
    return .json(PushJSON.whole(sent, names))
  }
}
