import Grammar
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Reads nested steps into a flat list with a time for each.
///
///     serial    one after another: `after` counts from the end of the step before, `at` from the beginning of the list
///     parallel  all from the beginning of the list
///     repeat    the same steps over and over
struct StepListReader {
  private static let nests = ["serial", "parallel", "repeat"]
  static let stepActions =
    [
      "do", "push", "createChannel", "broadcast", "deleteChannel", "clock", "fault", "deleteFault",
      "register",
    ] + nests
  static let timeKeys = ["name", "at", "after", "every", "times", "until"]
  private static let deepest = 20
  /// Each step is read again for every round of a repeat.
  private static let mostSteps = 10_000
  private static let mostTimes = Scenario.mostMoments

  private(set) var steps: [Scenario.Step] = []
  private let stepActions: StepActionReader
  private var moments = 0

  init(_ scenarioNames: ScenarioNames) {
    stepActions = StepActionReader(scenarioNames: scenarioNames)
  }

  /// Reads faults that are set from the beginning.
  mutating func read(faults node: SourceNode?) throws(InputProblem) {
    guard let node else { return }
    guard let sequence = node.elements else {
      throw InputProblem(
        node.place, "faults must be a list, each beginning with a dash; see docs/faults.md.")
    }
    for entry in sequence {
      let (stepAction, words) = try stepActions.fault(entry)
      steps.append(Scenario.Step(place: entry.place, first: .zero, words: words, stepAction: stepAction))
    }
  }

  mutating func read(_ node: SourceNode?) throws(InputProblem) {
    guard let node else { return }
    _ = try serial(node, "steps", from: .zero, depth: 0)
  }

  /// Rejects a step that removes a fault which the scenario never sets.
  func checkDeletedFaults() throws(InputProblem) {
    let known = steps.compactMap { if case .fault(let fault) = $0.stepAction { fault.name } else { nil } }
    for step in steps {
      guard case .deleteFault(let name?) = step.stepAction, !known.contains(name) else { continue }
      let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
      let all = known.isEmpty ? "it sets no faults." : "it sets \(Wording.list(known))."
      throw InputProblem(step.place, "this scenario sets no fault \(name); \(near ?? all)")
    }
  }

  /// The times at which a list's step begins and ends.
  private typealias Span = (begin: Duration, end: Duration)

  private func list(_ node: SourceNode, _ what: String) throws(InputProblem) -> [SourceNode] {
    guard let sequence = node.elements, !sequence.isEmpty else {
      throw InputProblem(node.place, "\(what) must be a list of steps, each beginning with a dash.")
    }
    return Array(sequence)
  }

  /// - Parameter what: the key of the list.
  private mutating func serial(
    _ node: SourceNode, _ what: String = "serial", from begin: Duration, depth: Int
  ) throws(InputProblem) -> Duration {
    var before: Span = (begin, begin)
    var end = begin
    for (index, node) in try list(node, what).enumerated() {
      let span = try step(node, from: begin, after: before.end, depth: depth)
      if index > 0, span.begin < before.begin {
        throw InputProblem(
          node.place,
          "this step is at \(DurationText.write(span.begin)), but the one before it in the list is at"
            + " \(DurationText.write(before.begin)): times in a list must ascend. Put it before that one, or both under"
            + " parallel:.")
      }
      before = span
      end = max(end, span.end)
    }
    return end
  }

  private mutating func parallel(_ node: SourceNode, from begin: Duration, depth: Int) throws(InputProblem)
    -> Duration
  {
    var end = begin
    for node in try list(node, "parallel") {
      end = max(end, try step(node, from: begin, after: begin, depth: depth).end)
    }
    return end
  }

  private mutating func step(
    _ node: SourceNode, from begin: Duration, after before: Duration, depth: Int
  ) throws(InputProblem) -> Span {
    guard depth <= Self.deepest else {
      throw InputProblem(node.place, "steps are nested deeper than \(Self.deepest) times.")
    }
    let fields = try Fields(node, "a step", known: StepActionReader.keys)
    let stepActions = fields.those(of: Self.stepActions)
    guard let stepAction = stepActions.first, stepActions.count == 1 else {
      throw fields.problem(
        nil,
        stepActions.isEmpty
          ? "a step needs an action: one of \(Wording.list(Self.stepActions, "or"))."
          : "a step must have one action; this one has \(Wording.list(stepActions)).")
    }
    let first = try start(fields, from: begin, after: before)
    switch stepAction {
    case "serial", "parallel", "repeat":
      for key in fields.those(of: StepActionReader.keys)
      where key != stepAction && !["at", "after"].contains(key) {
        throw InputProblem(
          fields.placeOfKey(key),
          "\(key) is not valid with \(stepAction), which has at or after; to repeat steps, use repeat:."
        )
      }
      guard let inner = fields[stepAction] else { return (first, first) }
      let end =
        switch stepAction {
        case "serial": try serial(inner, from: first, depth: depth + 1)
        case "parallel": try parallel(inner, from: first, depth: depth + 1)
        default: try round(inner, from: first, depth: depth + 1)
        }
      return (first, end)
    default:
      let (every, times) = try recurrence(fields, from: begin, first: first)
      try count(times, fields)
      guard steps.count < Self.mostSteps else {
        throw fields.problem(
          nil, "with its repeats, the scenario has more than \(Self.mostSteps) steps; every: with times: counts as one."
        )
      }
      let (work, words) = try self.stepActions.read(fields)
      let name = try fields.spelling("name")
      if let name, steps.contains(where: { $0.name == name && $0.place != fields.place() }) {
        throw fields.problem("name", "there is already a step \(name); names must be unique.")
      }
      var step = Scenario.Step(place: fields.place(), first: first, words: words, stepAction: work)
      step.name = name
      step.every = every
      step.times = times
      steps.append(step)
      return (first, step.last)
    }
  }

  private mutating func count(_ times: Int, _ fields: Fields) throws(InputProblem) {
    moments += times
    guard moments <= Self.mostTimes else {
      throw fields.problem(nil, "with this step the scenario has more than \(Self.mostTimes) moments.")
    }
  }

  private mutating func round(_ node: SourceNode, from begin: Duration, depth: Int) throws(InputProblem) -> Duration {
    let fields = try Fields(node, "repeat", known: ["times", "every", "steps"])
    guard let times = try fields.whole("times", 1...Self.mostTimes), let inner = fields["steps"] else {
      throw fields.problem(nil, "repeat must have times and steps: {times: 3, every: 10m, steps: [...]}.")
    }
    let every = try fields.duration("every")
    var end = begin
    for number in 0..<times {
      let start = every.map { begin + $0 * number } ?? end
      let over = try serial(inner, "steps", from: start, depth: depth)
      if let every, over > start + every, number < times - 1 {
        throw fields.problem(
          "every",
          "a round takes \(DurationText.write(over - start)), so the next cannot begin after"
            + " \(DurationText.write(every)).")
      }
      end = max(end, over)
    }
    return end
  }

  private func start(
    _ fields: Fields, from begin: Duration, after before: Duration
  ) throws(InputProblem) -> Duration {
    guard !fields.has("at") || !fields.has("after") else {
      throw fields.problem("after", "at and after cannot be combined.")
    }
    if let at = try fields.duration("at") { return begin + at }
    if let after = try fields.duration("after") { return before + after }
    return before
  }

  private func recurrence(
    _ fields: Fields, from begin: Duration, first: Duration
  ) throws(InputProblem) -> (every: Duration, times: Int) {
    let times = try fields.whole("times", 1...Self.mostTimes)
    let until = try fields.duration("until")
    guard let every = try fields.duration("every") else {
      if times != nil { throw fields.problem("times", "times needs every: the time between repetitions.") }
      if until != nil { throw fields.problem("until", "until needs every: the time between repetitions.") }
      return (.zero, 1)
    }
    guard every > .zero else { throw fields.problem("every", "every must be longer than 0s.") }
    switch (times, until) {
    case (let times?, nil): return (every, times)
    case (nil, let until?):
      guard begin + until >= first else {
        throw fields.problem(
          "until",
          "until \(DurationText.write(until)) is before the step begins, at \(DurationText.write(first - begin)).")
      }
      let rounds = (begin + until - first) / every
      guard rounds < Double(Self.mostTimes) else {
        throw fields.problem("every", "that is more than \(Self.mostTimes) times.")
      }
      return (every, Int(rounds) + 1)
    default: throw fields.problem("every", "every needs either times: how often, or until: how long.")
    }
  }
}
