import APNs
import Grammar
import Orders
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Checks provider tokens without a push.
enum ProviderTokenRoutes {
  static let routes: [Route] = [
    Route(
      "POST /v1/provider-tokens/check", id: "checkProviderToken", tag: .about,
      summary: "how APNs would answer a provider token; nothing is recorded", answer: check
    )
    .meaning(
      """
      Checks a provider token against the rules, as on a new connection. Nothing is counted or recorded: no
      push, no connection and no error.
      """
    )
    .body(.providerToken)
    .answers(
      .json(
        "Whether it is accepted, or else the error that a push would get.",
        .object([
          .init("passes", .truth), .init("status", .integer.orNull), .init("reason", .string.orNull),
          .init("sentence", .string.orNull),
        ])))
  ]

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
