import APNs
import Grammar
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
    let rejection = simulator.world.rejection(ofProvider: token, in: environment, at: simulator.now(wall: context.wall))
    return .json([
      "passes": .bool(rejection == nil), "status": rejection.map { JSONValue($0.reason.status) } ?? .null,
      "reason": JSONValue(rejection?.reason.rawValue), "sentence": JSONValue(rejection?.rule?.sentence),
    ])
  }
}
