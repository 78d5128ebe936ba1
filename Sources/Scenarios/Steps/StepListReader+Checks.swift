import APNs
import Grammar
import Simulation
import Timeline
import WireFormats

/// Checks of a whole list of steps, before it is played.
extension StepListReader {
  /// Rejects a step that removes a fault which the scenario never sets.
  package func checkDeletedFaults() throws(InputProblem) {
    let known = steps.compactMap { $0.fault?.name }
    for step in steps {
      guard let name = (step.action as? DeleteFaultStep)?.name, !known.contains(name) else { continue }
      let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
      let all = known.isEmpty ? "it sets no faults." : "it sets \(Wording.list(known))."
      throw InputProblem(step.place, "this scenario sets no fault \(name); \(near ?? all)")
    }
  }

  /// Rejects a step that names a channel which the scenario never creates, or creates one twice.
  package func checkChannels() throws(InputProblem) {
    var places: [String: String] = [:]
    for step in steps {
      guard let name = step.createdChannel else { continue }
      if let place = places[name], place != step.place {
        throw InputProblem(step.place, "there is already a channel \(name); names must be unique.")
      }
      places[name] = step.place
    }
    for step in steps {
      for name in step.action.channels where places[name] == nil {
        let known = places.keys.sorted()
        let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
        let all = known.isEmpty ? "createChannel creates one." : "it creates \(Wording.list(known))."
        throw InputProblem(step.place, "this scenario creates no channel \(name); \(near ?? all)")
      }
    }
  }

  /// The program or person that starts the backend of a scenario.
  package enum BackendStarter: Sendable {
    /// `pushpit run`, by a command.
    case command
    /// Somebody else.
    case other
    /// There is no backend.
    case nobody
    /// A running server plays the scenario, and has no backend of its own.
    case server
  }

  /// Rejects steps of a backend that cannot be stopped or started, or not then.
  package func checkBackend(_ starter: BackendStarter) throws(InputProblem) {
    let moments = steps.moments(of: BackendStep.self)
    if let first = moments.first, let sentence = Self.sentence(starter) { throw InputProblem(first.place, sentence) }
    var runs = true
    for (at, place, action) in moments {
      guard (action.order == .start) != runs else {
        throw InputProblem(
          place,
          "the backend is \(runs ? "running" : "stopped") already at \(DurationText.write(at)), so"
            + " \(action.order.rawValue) is not possible.")
      }
      runs = action.order == .start
    }
  }

  private static func sentence(_ starter: BackendStarter) -> String? {
    switch starter {
    case .command: nil
    case .other: "Pushpit has not started this backend, so it cannot stop it; add its command under backend."
    case .nobody: "this scenario has no backend; add backend: with the command that starts it."
    case .server: "a running server has started no backend; play the scenario with pushpit run."
    }
  }

  /// Rejects steps with keys that the scenario does not have.
  ///
  /// - Parameter keys: the ids of its keys; nil on a running server, whose keys others use.
  package func checkKeys(_ keys: [String]?) throws(InputProblem) {
    for step in steps {
      guard let action = step.action as? KeysStep else { continue }
      guard let keys else {
        throw InputProblem(step.place, "the keys of a running server are changed by POST and DELETE /v1/keys.")
      }
      guard let id = action.keyID, !keys.contains(id) else { continue }
      let near = SpellingSuggestion.nearest(to: id, among: keys).map { "did you mean \($0)?" }
      let all = keys.isEmpty ? "it has none." : "it has \(Wording.list(keys))."
      throw InputProblem(step.place, "settings.keys has no key \(id); \(near ?? all)")
    }
  }

  /// Rejects steps with certificates that nobody presents, and those that change nothing.
  package func checkCertificates(_ starter: BackendStarter) throws(InputProblem) {
    if let first = steps.moments(of: CertificatesStep.self).first {
      switch starter {
      case .server:
        throw InputProblem(
          first.place, "the certificates of a running server are changed by POST and DELETE /v1/certificates.")
      case .nobody:
        throw InputProblem(
          first.place,
          "without a backend, all pushes are sent with keys and nobody presents a certificate; add backend: with the"
            + " command that starts it.")
      case .command, .other: break
      }
    }
    try CertificatesStep.checkChanges(steps) { $0.digits }
  }

  /// The steps, and before them those that revoke the keys which are added later.
  package var stepsWithLateKeys: [Scenario.Step] {
    var known: [String] = []
    var late: [Scenario.Step] = []
    for step in steps.enumerated().sorted(by: { ($0.element.first, $0.offset) < ($1.element.first, $1.offset) }) {
      guard let action = step.element.action as? KeysStep, let id = action.keyID, !known.contains(id) else { continue }
      known.append(id)
      guard action.adds else { continue }
      late.append(
        Scenario.Step(
          place: step.element.place, first: .zero, words: "the key \(id) is not valid yet",
          action: KeysStep.revoking(id)))
    }
    return late + steps
  }
}

extension [Scenario.Step] {
  /// The times at which steps of a kind are played, in order.
  func moments<Kind: StepActionKind>(of kind: Kind.Type) -> [(at: Duration, place: String, action: Kind)] {
    var moments: [(at: Duration, place: String, action: Kind)] = []
    for step in self {
      guard let action = step.action as? Kind else { continue }
      for round in 0..<step.times { moments.append((step.moment(round), step.place, action)) }
    }
    return moments.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
  }
}
