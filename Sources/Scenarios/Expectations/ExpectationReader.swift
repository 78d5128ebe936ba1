import APNs
import Devices
import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// Reads expectations, and rejects those that can never be evaluated.
package struct ExpectationReader {
  static let subjects = ExpectationKinds.all.map { $0.subject }
  static let claims = merged(ExpectationKinds.all.map { $0.claims }).map(\.name)

  private static let name: ExpectationMember = (
    "name", .text().meaning("A name for reports. Default: a description.")
  )
  /// The members that every kind of expectation has.
  private static let common: [ExpectationMember] = [
    name,
    ("at", .duration.meaning("When it is evaluated, such as 90s: since the beginning. Default: at the end.")),
    ("within", .duration.meaning("Only what happens in this time counts, such as 2m: since the beginning, or `of`.")),
    ("of", .text().meaning("The name of the step that `within` counts from.")),
  ]
  /// The common members in a session, which has no steps and is evaluated at its end.
  private static let commonOfSession: [ExpectationMember] = [
    name, ("within", .duration.meaning("Only what happens in this time counts, such as 2m: since the beginning.")),
  ]
  /// An expectation of any kind.
  package static let type = ValueType.members(
    merged(
      [common] + ExpectationKinds.all.map { [($0.subject, $0.type.meaning($0.meaning))] }
        + ExpectationKinds.all.map { $0.claims } + ExpectationKinds.all.map { $0.details }), oneOf: subjects)
  private static let keys = type.keys

  /// An expectation of a session: about anything but connections, which are shared.
  package static let sessionSchema = Schema.either(
    ExpectationKinds.all.filter { $0 != ConnectionExpectation.self }
      .map { $0.schema(with: $0 == ScreenExpectation.self ? [name] : commonOfSession) }
  ).named("Expectation", "Something that must be true, in the syntax of scenario files (Scenarios/README.md).")

  /// The members of several kinds. A member that several of them have accepts each of their types.
  private static func merged(_ lists: [[ExpectationMember]]) -> [ExpectationMember] {
    var all: [(name: String, types: [ValueType])] = []
    for (name, type) in lists.joined() {
      let place = all.firstIndex { $0.name == name } ?? all.count
      if place == all.count { all.append((name, [])) }
      all[place].types.append(type)
    }
    return all.map { ($0.name, .any(of: $0.types)) }
  }

  let scenarioNames: ScenarioNames
  let steps: [Scenario.Step]
  let isAlone: Bool

  /// - Parameter isAlone: whether only the scenario's own steps send pushes.
  package init(_ scenarioNames: ScenarioNames, _ steps: [Scenario.Step], isAlone: Bool) {
    self.scenarioNames = scenarioNames
    self.isAlone = isAlone
    self.steps = steps
  }

  package func read(_ node: SourceNode?) throws(InputProblem) -> [Expectation] {
    guard let node else { return [] }
    guard let sequence = node.elements else {
      throw InputProblem(node.place, "expect must be a list, each entry beginning with a dash.")
    }
    guard sequence.count <= Scenario.mostExpectations else {
      throw InputProblem(
        sequence[Scenario.mostExpectations].place, "expect must have at most \(Scenario.mostExpectations) expectations."
      )
    }
    var list: [Expectation] = []
    for element in sequence { list.append(try one(element)) }
    return list
  }

  package func one(_ node: SourceNode) throws(InputProblem) -> Expectation {
    let fields = try Fields(node, "an expectation", known: Self.keys)
    let kinds = ExpectationKinds.all.filter { fields.has($0.subject) }
    guard let kind = kinds.first, kinds.count == 1 else {
      throw fields.problem(nil, "an expectation must be about one of \(Wording.list(Self.subjects, "or")).")
    }
    if let what = kind.momentary, fields.has("within") {
      throw fields.problem(
        "within", "\(what) is evaluated at a time, over everything before; use at, or leave within out.")
    }
    let (question, words) = try kind.read(fields, by: self)
    let (at, window) = try time(fields)
    return Expectation(
      name: try fields.spelling("name") ?? words, place: fields.place(), at: at, window: window, question: question)
  }

  // MARK: - Times

  private func time(
    _ fields: Fields
  ) throws(InputProblem) -> (at: Duration?, window: ClosedRange<Duration>?) {
    let at = try fields.duration("at")
    guard let within = try fields.duration("within") else {
      if fields.has("of") {
        throw fields.problem("of", "of names the step that within counts from; it needs within.")
      }
      return (at, nil)
    }
    guard at == nil else {
      throw fields.problem("at", "at and within cannot be combined.")
    }
    guard let name = try fields.text("of") else { return (within, .zero...within) }
    let (first, last) = try span(of: name, fields, "of")
    return (last + within, first...(last + within))
  }

  /// The first and last time of a step.
  private func span(
    of name: String, _ fields: Fields, _ key: String
  ) throws(InputProblem) -> (Duration, Duration) {
    let found = steps.filter { $0.name == name }
    guard let first = found.map(\.first).min(), let last = found.map(\.last).max() else {
      throw unknownStep(name, fields: fields, key: key)
    }
    return (first, last)
  }

  func unknownStep(_ name: String, fields: Fields, key: String) -> InputProblem {
    let names = steps.compactMap(\.name)
    let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean \($0)?" }
    let known =
      if steps.isEmpty {
        "there are no steps."
      } else {
        names.isEmpty ? "no step of this scenario has a name." : "the ones with a name are \(Wording.list(names))."
      }
    return fields.problem(key, "this can never be evaluated: no step is called \(name); \(near ?? known)")
  }

  /// True if anything sends pushes: a step, or a backend.
  var isPushing: Bool { !isAlone || steps.contains { $0.action is PushStep } }

  /// Reads the step that a filter names, and rejects a step of another kind.
  ///
  /// - Parameter other: the predicate for a step of another kind, such as `sends no pushes`.
  func step(
    _ fields: Fields, of other: String, _ isRight: (any StepAction) -> Bool
  ) throws(InputProblem) -> String? {
    guard let name = try fields.text("step") else { return nil }
    guard let step = steps.first(where: { $0.name == name }) else {
      throw unknownStep(name, fields: fields, key: "step")
    }
    guard isRight(step.action) else {
      throw fields.problem("step", "this can never be evaluated: the step \(name) \(other).")
    }
    return name
  }
}

extension Filter {
  func checkStatus(_ fields: Fields) throws(InputProblem) {
    if let status, let reason, reason.status != status {
      throw fields.problem(
        "status", "this contradicts itself: \(reason.rawValue) has status \(reason.status), not \(status).")
    }
  }
}
