import Grammar
import Simulation
import Timeline

/// Revokes provider keys, or makes revoked ones valid again. The state folder and the ready line do not change.
package struct KeysStep: StepActionKind {
  private enum Change: Sendable {
    case add
    case revoke
  }

  static let key = "keys"
  static let type = ValueType.members([
    ("revoke", .text().meaning("The id of a key of `settings.keys` that is no longer valid, or `all`.")),
    (
      "add",
      .text().meaning(
        "The id of a key of `settings.keys` that is valid from now on, or `all`. Unless it was revoked before, it is"
          + " not valid before this step.")
    ),
  ]).meaning("Provider keys that become valid or invalid.")

  /// Stands for every key that was valid at the beginning.
  private static let all = "all"

  private let change: Change
  private let name: String

  /// The key that it names; nil for all.
  package var keyID: String? { name == Self.all ? nil : name }
  package var adds: Bool { change == .add }

  /// The step at the beginning of a scenario that revokes a key which a later step adds.
  package static func revoking(_ keyID: String) -> KeysStep { KeysStep(change: .revoke, name: keyID) }

  static func read(_ node: SourceNode, of step: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fields = try Fields(node, key, known: type.keys)
    switch (try fields.text("revoke"), try fields.text("add")) {
    case (let name?, nil): return (KeysStep(change: .revoke, name: name), "\(words(name)) is revoked")
    case (nil, let name?): return (KeysStep(change: .add, name: name), "\(words(name)) is valid from now on")
    default: throw fields.problem(nil, "keys must have either revoke or add, such as keys: {revoke: all}.")
    }
  }

  private static func words(_ name: String) -> String { name == all ? "every key" : "the key \(name)" }

  package func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
  {
    let keys = simulator.world.initialKeys.filter { $0.isValid != adds }.map(\.id)
    for id in keyID.map({ [$0] }) ?? keys {
      director.order(adds ? .restoreKey(id) : .revokeKey(id), of: turn, in: &simulator)
    }
    if keyID == nil, keys.isEmpty {
      director.find(turn.step, "nothing was done: \(adds ? "every key is valid" : "no key is valid").", isFailure: true)
    }
    return nil
  }
}
