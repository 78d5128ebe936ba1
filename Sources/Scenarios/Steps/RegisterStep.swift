import APNs
import Grammar
import Orders
import Simulation
import Timeline

/// Registers a token that a backend already has, in the JSON form of the admin API.
struct RegisterStep: StepActionKind {
  static let key = "register"
  static let type = TokenReader.type.meaning("A token that your backend already has, for a phone.")

  private let device: DeviceID?
  private let command: Command

  static func read(_ node: SourceNode, of step: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fields = try Fields(node, key, known: TokenReader.members)
    _ = try names.app(fields)
    let command = try TokenReader.read(fields)
    let device = try names.device(fields)
    return (
      RegisterStep(device: device, command: command), "a token of \(device?.text ?? "a device") is registered"
    )
  }

  func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest? {
    if let device, !simulator.world.fleet.owns(device) { return nil }
    director.order(command, of: turn, in: &simulator)
    return nil
  }
}
