import APNs
import Grammar
import Hunting
import Orders
import Simulation
import Timeline
import WireFormats

/// A hunt that a client plays with a test of its own, one session a variant.
struct TestHunt: Sendable {
  let id: String
  let name: String?
  private(set) var hunt: Hunt
  /// The machine's time at which its client was last heard of.
  var heard: Instant
  private var playing: [Int: Variant] = [:]
  private var plain = 0
  private var played = 0
  private let mostPlayed: Int

  /// Of a machine that is busy, a test that waits for seconds wants less.
  private static let patience = 4
  /// Nobody waits for as many; what was played takes memory.
  private static let mostPlayed = 100_000

  init(_ id: String, _ order: HuntOrder, at wall: Instant, mostPlayed: Int = mostPlayed) {
    self.id = id
    self.mostPlayed = mostPlayed
    name = order.name
    heard = wall
    var options = Hunt.Options()
    options.seed = UInt64(order.seed)
    options.kept = order.kept
    options.without = Set(order.without)
    // The test is played once more than it has seeds, of which it knows nothing.
    options.seeds = [1, 1]
    options.asksWhatItExpects = true
    options.patience = Self.patience
    hunt = Hunt(options)
  }

  /// Throws an error unless a verdict about that variant is due.
  func check(_ number: Int) throws(AdminProblem) {
    guard playing[number] == nil else { return }
    throw AdminProblem(
      409, "Variant \(number) is not being played; `next` gives the variant to play, and takes one verdict.",
      field: "variant")
  }

  mutating func next() -> Hunt.Next {
    guard played < mostPlayed else { return .over }
    let next = hunt.next()
    if case .play(let variant) = next { playing[variant.number] = variant }
    return next
  }

  /// - Parameter session: the closed session in which the variant was played; nil if it was not played to its end.
  mutating func take(_ verdict: HuntVerdict, in session: HuntedSession?) throws(AdminProblem) {
    try check(verdict.variant)
    guard let variant = playing.removeValue(forKey: verdict.variant) else { return }
    played += 1
    var result = VariantResult()
    if let problem = verdict.problem { result = VariantResult(problem: problem) }
    if let failure = verdict.failure {
      let isFirst = variant.purpose == .plain && plain == 0
      if isFirst { result = VariantResult(problem: failure.sentence) } else { result.failures = [failure] }
    }
    if variant.purpose == .plain {
      plain += 1
      result.lines = verdict.failure.map { ["it passed, and then failed: \($0.sentence)"] } ?? []
    }
    result.features = session?.features ?? []
    result.struck = session?.struck(variant.perturbations.count) ?? []
    hunt.take(result, of: variant.number, ground: session?.ground)
  }

  /// The reason why it ended before its time, for people.
  var refusal: String? {
    switch hunt.refusal {
    case nil: nil
    case .failsByItself(let sentence): "The test fails without any trouble: \(sentence)"
    case .differs(let sentence), .failedOnce(_, let sentence):
      "The test does not always have the same result without any trouble: \(sentence). If this machine is busy, the"
        + " test must wait longer."
    case .failedLast(_, let sentence): Self.doubt(sentence)
    case .pushesNothing:
      "The test passes, but its session got no push, so nothing can go wrong with one. Its backend must push to the"
        + " phone of the test."
    case .contaminated(let variant, let sentence):
      "A variant\(variant.map { ", number \($0.number) at the latest," } ?? "") has left something behind: since"
        + " then, the test fails without any trouble: \(sentence)"
    }
  }

  /// Reason why no result counts if the hunt ends now; nil if results count.
  var doubt: String? { hunt.doubt.map(Self.doubt) }

  private static func doubt(_ sentence: String) -> String {
    "The test has failed without any trouble, and the hunt has ended before it was played again: \(sentence)"
  }

  /// The variant after which the test fails without any trouble, if it is known.
  var suspect: Variant? { if case .contaminated(let variant, _) = hunt.refusal { variant } else { nil } }

  var notes: [String] {
    var notes: [String] = []
    if hunt.expectsNothing {
      notes.append(
        "It passes even if no push reaches its phone: it does not expect anything of the phone, so a lost push cannot"
          + " fail it.")
    }
    notes += hunt.tally.late.map { failure in
      "A failure is no find, because it did not come again while the test waited \(Self.patience) times as long; this"
        + " machine may be busy, or the backend may try again late: \(failure.sentence)"
    }
    if played >= mostPlayed { notes.append("It has played \(mostPlayed) variants, the most of one hunt.") }
    if hunt.refusal == nil, let unplayed = hunt.tally.unplayedWords { notes.append(unplayed) }
    return notes
  }
}

/// A request for a hunt.
struct HuntOrder: Sendable {
  /// Number of examples that are played: the last ones, as clients add what they find.
  static let mostKept = 200
  static let mostPerturbations = 20
  static let mostAccepted = 100

  let name: String?
  let seed: Int64
  /// Kinds of faults, and reasons, that are not played.
  let without: [String]
  let kept: [[Perturbation]]

  init(_ fields: Fields) throws(InputProblem) {
    name = try fields.line("name")
    seed = try fields.whole("seed") ?? 1
    without = try fields.texts("accept") ?? []
    guard without.count <= Self.mostAccepted else {
      throw fields.problem("accept", "accept must be a list of at most \(Self.mostAccepted) words.")
    }
    let known = ConsequenceReader.names + RejectionReason.allCases.map(\.rawValue)
    for word in without where !known.contains(word) {
      throw fields.problem(
        "accept",
        "\(Wording.quoted(word)) is neither a word of a fault's `then` nor a reason of APNs"
          + (SpellingSuggestion.nearest(to: word, among: known).map { "; did you mean \($0)?" } ?? "."))
    }
    var kept: [[Perturbation]] = []
    if let value = fields.json("kept") {
      guard let examples = value.elements else {
        throw fields.problem("kept", "kept must be a list of examples, each a list of perturbations.")
      }
      for (index, example) in examples.enumerated().suffix(Self.mostKept) {
        kept.append(try Self.example(example, "kept[\(index)]"))
      }
    }
    self.kept = kept
  }

  private static func example(_ value: JSONValue, _ place: String) throws(InputProblem) -> [Perturbation] {
    guard let elements = value.elements, (1...mostPerturbations).contains(elements.count) else {
      throw InputProblem(
        "\(place) must be a list of 1 to \(mostPerturbations) perturbations, as in a find of an earlier hunt.",
        field: "kept", at: place)
    }
    var all: [Perturbation] = []
    for (index, element) in elements.enumerated() {
      let place = "\(place)[\(index)]"
      guard let perturbation = Perturbation(element), perturbation.place == .faults else {
        throw InputProblem(
          "\(place) must be a perturbation of a test, as in a find of an earlier hunt: {\"in\": \"faults\", \"kind\":"
            + " \"abort\", \"entry\": {\"limit\": 1, \"then\": {\"abort\": true}}}.", field: "kept", at: place)
      }
      for fault in perturbation.faults(at: index) {
        do throws(InputProblem) {
          let fields = try Fields(SourceNode(fault), place, known: FaultReader.members)
          _ = try FaultReader.readGiven(fields, at: .distantPast)
        } catch {
          throw InputProblem("\(place): \(error.sentence)", field: "kept", at: place, code: error.code)
        }
      }
      all.append(perturbation)
    }
    return all
  }
}

/// The result of a variant, as a client sends it.
struct HuntVerdict: Sendable {
  let variant: Int
  let failure: HuntFailure?
  /// The reason why the variant was not played to its end.
  let problem: String?
  let session: String?

  init(_ fields: Fields) throws(InputProblem) {
    guard let number = try fields.whole("variant", 1...Int(Int32.max)) else {
      throw fields.problem("variant", "variant is required: its number.", code: .missingKey)
    }
    variant = number
    session = try fields.text("session")
    problem = try fields.line("problem")
    let passed = try fields.truth("passed")
    guard (passed == nil) == (problem != nil) else {
      throw fields.problem(
        "passed", "passed is required, or problem, if the test could not be played to its end; not both.",
        code: passed == nil ? .missingKey : .contradiction)
    }
    let text = try fields.line("failure") ?? "it failed"
    let key = try fields.line("at")
    failure = passed == false ? HuntFailure(.init("test", key ?? Self.subject(text)), text) : nil
    if session == nil, problem == nil {
      throw fields.problem(
        "session", "session is required: the one in which the variant was played, unless it has a problem.",
        code: .missingKey)
    }
  }

  /// A failure without what differs from play to play: numbers, ids and tokens.
  static func subject(_ text: String) -> String {
    let words = text.split(separator: " ").map { word in
      let isID = word.utf8.count >= 16 && word.contains(where: \.isNumber)
      return isID ? "…" : String(word.map { $0.isNumber ? "…" : $0 })
    }
    return words.joined(separator: " ")
  }
}
