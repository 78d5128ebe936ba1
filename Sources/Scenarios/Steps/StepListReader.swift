import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// Reads nested steps into a flat list with a time for each.
///
///     serial    one after another: `after` counts from the end of the step before, `at` from the beginning of the list
///     parallel  all from the beginning of the list
///     repeat    the same steps over and over
package struct StepListReader {
  /// The members that every kind of step has.
  private static let times: [(name: String, type: ValueType)] = [
    ("name", .text().meaning("A unique name, for expectations.")),
    ("at", .duration.meaning("When, such as 90s: since the beginning of the list.")),
    ("after", .duration.meaning("When, such as 90s: since the end of the step before.")),
    ("every", .duration.meaning("The time between repetitions, such as 10s; with `times` or `until`.")),
    ("times", .anyWhole.meaning("How often it is done.")),
    ("until", .duration.meaning("When it is no longer repeated, such as 90m: since the beginning of the list.")),
  ]
  static let timeKeys = times.map(\.name)
  /// A step of any kind.
  package static let type = ValueType.members(
    times + StepKinds.all.map { ($0.key, $0.type) } + DeviceStep.details, oneOf: StepKinds.all.map { $0.key })
  private static let keys = type.keys

  private static let deepest = 20
  /// Each step is read again for every round of a repeat.
  private static let mostSteps = 10_000
  static let mostTimes = Scenario.mostMoments

  package private(set) var steps: [Scenario.Step] = []
  private let names: ScenarioNames
  private var moments = 0

  package init(_ names: ScenarioNames) { self.names = names }

  /// Reads faults that are set from the beginning.
  package mutating func read(faults node: SourceNode?) throws(InputProblem) {
    guard let node else { return }
    guard let sequence = node.elements else {
      throw InputProblem(
        node.place, "faults must be a list, each beginning with a dash; see docs/faults.md.")
    }
    for entry in sequence {
      let (action, words) = try FaultStep.read(entry, names)
      steps.append(Scenario.Step(place: entry.place, first: .zero, words: words, action: action))
    }
  }

  package mutating func read(_ node: SourceNode?) throws(InputProblem) {
    guard let node else { return }
    _ = try serial(node, "steps", from: .zero, depth: 0)
  }

  /// The times at which a list's step begins and ends.
  typealias Span = (begin: Duration, end: Duration)

  func list(_ node: SourceNode, _ what: String) throws(InputProblem) -> [SourceNode] {
    guard let sequence = node.elements, !sequence.isEmpty else {
      throw InputProblem(node.place, "\(what) must be a list of steps, each beginning with a dash.")
    }
    return Array(sequence)
  }

  /// - Parameter what: the key of the list.
  mutating func serial(
    _ node: SourceNode, _ what: String, from begin: Duration, depth: Int
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

  mutating func step(
    _ node: SourceNode, from begin: Duration, after before: Duration, depth: Int
  ) throws(InputProblem) -> Span {
    guard depth <= Self.deepest else {
      throw InputProblem(node.place, "steps are nested deeper than \(Self.deepest) times.")
    }
    let fields = try Fields(node, "a step", known: Self.keys)
    let kinds = StepKinds.all.filter { fields.has($0.key) }
    guard let kind = kinds.first, kinds.count == 1 else {
      throw fields.problem(
        nil,
        kinds.isEmpty
          ? "a step needs an action: one of \(Wording.list(StepKinds.all.map { $0.key }, "or"))."
          : "a step must have one action; this one has \(Wording.list(kinds.map { $0.key })).")
    }
    let first = try start(fields, from: begin, after: before)
    return (first, try kind.add(fields, from: begin, at: first, depth: depth + 1, to: &self))
  }

  /// Adds a step that is an action.
  ///
  /// - Returns: when its last repetition begins.
  mutating func add<Kind: StepActionKind>(
    _ kind: Kind.Type, _ fields: Fields, from begin: Duration, at first: Duration
  ) throws(InputProblem) -> Duration {
    let (every, times) = try recurrence(fields, from: begin, first: first)
    try count(times, fields)
    guard steps.count < Self.mostSteps else {
      throw fields.problem(
        nil, "with its repeats, the scenario has more than \(Self.mostSteps) steps; every: with times: counts as one.")
    }
    if kind != DeviceStep.self, let key = fields.those(of: DeviceStep.details.map(\.name)).first {
      throw InputProblem(fields.placeOfKey(key), "\(key) is valid only with do.")
    }
    let (action, words) = try kind.read(fields[kind.key] ?? fields.node, of: fields, names)
    let name = try fields.spelling("name")
    if let name, steps.contains(where: { $0.name == name && $0.place != fields.place() }) {
      throw fields.problem("name", "there is already a step \(name); names must be unique.")
    }
    var step = Scenario.Step(place: fields.place(), first: first, words: words, action: action)
    step.name = name
    step.every = every
    step.times = times
    steps.append(step)
    return step.last
  }

  /// The value of a step that is a list of steps. Besides it, the step can have only `at` or `after`.
  func nested(_ fields: Fields, key: String) throws(InputProblem) -> SourceNode {
    for other in fields.those(of: Self.keys) where other != key && !["at", "after"].contains(other) {
      let remedy =
        switch other {
        case "every", "times", "until":
          key == RepeatedSteps.key ? "; times and every stand within repeat." : "; to repeat steps, use repeat:."
        default: "."
        }
      throw InputProblem(
        fields.placeOfKey(other), "\(other) is not valid with \(key), beside which only at or after may stand\(remedy)")
    }
    return fields[key] ?? fields.node
  }

  private mutating func count(_ times: Int, _ fields: Fields) throws(InputProblem) {
    moments += times
    guard moments <= Self.mostTimes else {
      throw fields.problem(nil, "with this step the scenario has more than \(Self.mostTimes) moments.")
    }
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
