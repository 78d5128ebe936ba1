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
    .answers(.json("Whether it is accepted, or else the error that a push would get.", shape.schema))
  ]

  private static let shape = Shape<(reason: RejectionReason, sentence: String)?>(members: [
    .init("passes", .truth) { .bool($0 == nil) },
    .init("status", .integer.orNull) { $0.map { JSONValue($0.reason.status) } ?? .null },
    .init("reason", .string.orNull) { JSONValue($0?.reason.rawValue) },
    .init("sentence", .string.orNull) { JSONValue($0?.sentence) },
  ])

  static func check(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let (token, environment) = try context.read(RequestBody.providerToken) { fields throws(InputProblem) in
      (
        try fields.needed("token", "the JWT after `bearer`"),
        try fields.choice("environment", Environment.choices) ?? Environment.sandbox
      )
    }
    let found = simulator.world.rejection(ofProvider: token, in: environment, at: simulator.now(wall: context.wall))
    return .json(shape.json(found.map { ($0.rejection.reason, $0.sentence) }))
  }
}
