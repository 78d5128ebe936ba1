import APNs
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Checks provider tokens without a push.
enum ProviderTokenRoutes {
  static func check(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let (token, environment) = try context.read(RequestBody.providerToken) { fields throws(InputProblem) in
      (
        try fields.needed("token", "the JWT after `bearer`"),
        try fields.choice("environment", Environment.choices) ?? Environment.sandbox
      )
    }
    let found = simulator.world.rejection(ofProvider: token, in: environment, at: simulator.now(wall: context.wall))
    let reason = found?.rejection.reason
    return .json([
      "passes": .bool(found == nil), "status": reason.map { JSONValue($0.status) } ?? .null,
      "reason": JSONValue(reason?.rawValue), "sentence": JSONValue(found?.sentence),
    ])
  }
}
