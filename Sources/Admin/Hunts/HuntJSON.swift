import Grammar
import Hunting
import Simulation
import WireFormats

/// Hunts as JSON.
enum HuntJSON {
  // MARK: - What to play

  static let next = Shape<(next: Hunt.Next, hunt: TestHunt)>(
    "HuntNext", meaning: "Exactly one of `play`, `wait` and `over`.",
    members: [
      .maybe("play", variant.schema) { row in played(row.next).map { variant.json($0) } },
      .maybe("wait", .truth, meaning: "A verdict about another variant is missing.") { row in
        row.next == .wait ? .some(true) : .none
      },
      .maybe("over", report.schema) { row in row.next == .over ? .some(report.json(row.hunt)) : .none },
    ])

  private static func played(_ next: Hunt.Next) -> Variant? {
    if case .play(let variant) = next { variant } else { nil }
  }

  private static let variant = Shape<Variant>(
    "HuntVariant",
    members: [
      .init("variant", .positive, meaning: "Number of the variant.") { JSONValue($0.number) },
      .init(
        "purpose", .words(["plain", "asking", "control", "kept", "known", "drawn", "shrinking"]),
        meaning: """
          `plain`: the test itself, before the hunt. `asking`: no push reaches a phone, to see whether the test
          expects one. `control`: the test itself again. `kept`: an example of an earlier hunt. `known`: a failure
          mode of docs/behavior/failure-modes.md. `drawn`: drawn by the seed. `shrinking`: what is left of one that
          failed.
          """
      ) { .string($0.purpose.name) },
      .init("faults", .list(of: .object), meaning: "Bodies for `POST /v1/faults`; add the session.") { variant in
        .array(faults(variant.perturbations))
      },
      .init("words", .list(of: .string), meaning: sentences) { .array($0.perturbations.map { .string($0.words) }) },
      .init(
        "patience", .positive,
        meaning: "Factor for the time that the test waits in this play: greater than 1 to see whether it is only late."
      ) { JSONValue($0.patience) },
    ])

  private static let sentences = "Sentences that describe the faults, in the order of `faults`."

  private static func faults(_ perturbations: [Perturbation]) -> [JSONValue] {
    perturbations.enumerated().flatMap { index, perturbation in perturbation.faults(at: index) }
  }

  // MARK: - What was found

  static let perturbation = Schema.object([
    .init("in", .words(Perturbation.Place.self)), .init("kind", .string), .init("entry", .any),
  ]).named("Perturbation", "One thing that goes wrong in a variant, in the words of scenario files.")

  private static let find = Shape<HuntFind>(
    "HuntFind",
    members: [
      .init("number", .positive) { JSONValue($0.number) },
      .init("subject", .string, meaning: "Text that failures of one kind have in common.") {
        .string($0.group.subject)
      },
      .init("failure", .string, meaning: "The failure in the last failing play of the smallest variant.") {
        .string($0.sentence)
      },
      .init(
        "perturbations", .list(of: perturbation), meaning: "The fewest that cause the failure; can be sent as `kept`."
      ) {
        .array($0.perturbations.map(\.json))
      },
      .init("words", .list(of: .string), meaning: sentences) { .array($0.perturbations.map { .string($0.words) }) },
      .init("faults", .list(of: .object), meaning: "Bodies for `POST /v1/faults`; add the session.") { find in
        .array(faults(find.perturbations))
      },
      .init("drawn", .whole, meaning: "Number of perturbations of the variant that failed first.") {
        JSONValue($0.drawn)
      },
      .init("fails", .whole, meaning: "Number of plays of the smallest variant that failed.") { JSONValue($0.fails) },
      .init("plays", .whole, meaning: "Number of plays of the smallest variant.") { JSONValue($0.plays) },
      .init("after", .whole, meaning: "Number of variants played before the find was complete.") {
        JSONValue($0.after)
      },
    ])

  static let report = Shape<TestHunt>(
    "Hunt",
    members: [
      .init("id", .string) { .string($0.id) }, .init("name", .string.orNull) { JSONValue($0.name) },
      .init("seed", .whole) { .integer(Int64(clamping: $0.hunt.options.seed)) },
      .init("played", .whole, meaning: "Number of variants with a verdict.") { JSONValue($0.hunt.tally.played) },
      .init(
        "withoutNews", .whole, meaning: "Number of variants in which nothing happened that had not happened before."
      ) { JSONValue($0.hunt.tally.withoutNews) },
      .list("finds", of: find, meaning: "Finds in the order of finding, one for each kind of failure.") {
        $0.hunt.finds
      },
      .orNull("unfinished", find, meaning: "A failure that is being made smaller.") { $0.hunt.unfinished },
      .init("investigating", .truth, meaning: "True while a failure is replayed.") {
        .bool($0.hunt.isInvestigating)
      },
      .init(
        "unsteady", .list(of: .string), meaning: "Subjects of failures that did not come again in four of five plays."
      ) { .array($0.hunt.tally.unsteady.map { .string($0.subject) }) },
      .init(
        "survived", .list(of: .string),
        meaning: "Kinds of faults that struck in a judged play, and never failed the test."
      ) {
        kinds($0) { $0.isSurvived }
      },
      .init("notReached", .list(of: .string), meaning: "Kinds of faults that were set, and never struck.") {
        kinds($0) { $0.struck == 0 }
      },
      .init("refusal", .string.orNull, meaning: "Reason for which the hunt ended early.") { JSONValue($0.refusal) },
      .init(
        "doubt", .string.orNull,
        meaning: "Reason to believe nothing if the hunt ends now: the test itself has failed, and was not played again."
      ) { JSONValue($0.doubt) },
      .orNull(
        "suspect", variant, meaning: "The variant after which the test fails without any trouble, if it is known."
      ) {
        $0.suspect
      },
      .init("notes", .list(of: .string)) { .array($0.notes.map { .string($0) }) },
    ])

  private static func kinds(_ hunt: TestHunt, _ isWanted: (HuntTally.Reach) -> Bool) -> JSONValue {
    .array(hunt.hunt.tally.kinds.filter { isWanted($0.reach) && $0.name != "lose" }.map { .string($0.name) })
  }
}
