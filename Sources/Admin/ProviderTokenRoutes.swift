import APNs
import Grammar
import Simulation
import Timeline
import WireFormats

/// Provider tokens, judged without a push.
enum ProviderTokenRoutes {
  static func check(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let (token, environment) = try visit.read(["token", "environment"]) { fields throws(InputProblem) in
      (
        try fields.needed("token", "the JWT that goes after `bearer`"),
        try fields.choice("environment", Environment.choices) ?? Environment.sandbox
      )
    }
    let refusal = station.world.refusal(ofProvider: token, in: environment, at: station.now(wall: visit.wall))
    return .json([
      "passes": .bool(refusal == nil), "status": refusal.map { JSONValue($0.reason.status) } ?? .null,
      "reason": JSONValue(refusal?.reason.rawValue), "sentence": JSONValue(refusal?.rule?.sentence),
    ])
  }
}
