import APNs
import Simulation
import Timeline
import WireFormats

/// Provider tokens, judged without a push.
enum ProviderTokenRoutes {
  static func check(_ visit: inout Visit, _ station: inout Station) throws(AdminProblem) -> AdminReply {
    let form = try Form(visit.request, allowed: ["token", "environment"])
    let token = try form.needed("token", "the JWT that goes after `bearer`")
    let environment =
      try form.choice("environment", Environment.allCases.map { ($0.rawValue, $0) }) ?? Environment.sandbox
    let refusal = station.world.refusal(ofProvider: token, in: environment, at: station.now(wall: visit.wall))
    return .json([
      "passes": .bool(refusal == nil), "status": refusal.map { JSONValue($0.reason.status) } ?? .null,
      "reason": JSONValue(refusal?.reason.rawValue), "sentence": JSONValue(refusal?.rule?.sentence),
    ])
  }
}
