import APNs
import Devices
import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Sends a push to a phone.
enum DevicePushRoutes {
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
