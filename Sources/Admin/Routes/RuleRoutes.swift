import APNs
import Grammar
import Scenarios
import Simulation
import WireFormats

/// The rules of APNs.
enum RuleRoutes {
  static let routes: [Route] = [
    Route(
      "GET /v1/rules", id: "listRules", tag: .world,
      summary: "the rules of APNs, in the order in which they are checked", answer: rules
    )
    .meaning(
      """
      A push is checked against these in order; the answer reports the first one that is broken. Each rule
      says how it is known: Apple documents it, developers observed it, it is our assumption, or it is
      disputed.
      """
    )
    .answers(.json("All rules, first to last.", shape.schema))
  ]

  private static let shape = Shape<Rulebook>(members: [
    .list("rules", of: rule) { rulebook in
      Rule.allCases.map { ($0.rawValue, $0.reason(rulebook), $0.sentence, $0.evidence) }
    },
    .list(
      "channelRules", of: rule, meaning: "The rules of broadcasts and channels; the order depends on the request."
    ) { _ in ChannelRule.allCases.map { ($0.rawValue, $0.reason, $0.sentence, $0.evidence) } },
  ])

  private static let rule = Shape<(name: String, reason: RejectionReason, sentence: String, evidence: Evidence)>(
    "Rule",
    members: [
      .init("rule", .string) { .string($0.name) }, .init("status", .integer) { JSONValue($0.reason.status) },
      .init("reason", .reason) { .string($0.reason.rawValue) },
      .init("sentence", .string, meaning: "The requirement.") { .string($0.sentence) },
      .init("evidence", .evidence) { .string($0.evidence.kind.rawValue) },
      .init("source", .string) { .string($0.evidence.source) },
    ])

  static func rules(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let rulebook = simulator.world.rulebook
    return .json(shape.json(rulebook))
  }
}
