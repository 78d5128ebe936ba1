import Grammar
import Simulation
import Timeline

/// Stops, kills or starts the backend under test. The scenario's time stands until it is done.
package struct BackendStep: StepActionKind {
  package enum Order: String, CaseIterable, Hashable, Sendable {
    /// Terminated; killed if it has not ended after its grace period.
    case stop
    case kill
    /// Started with the same command and the same port.
    case start
  }

  static let key = "backend"
  static let type = ValueType.words(Order.allCases.map(\.rawValue)).meaning(
    "`stop` terminates the backend, `kill` ends it without warning, `start` starts it again, on the same port.")

  package let order: Order

  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
  {
    let order = try fields.neededChoice(key, Order.allCases.map { ($0.rawValue, $0) })
    let done =
      switch order {
      case .stop: "stopped"
      case .kill: "killed"
      case .start: "started again"
      }
    return (BackendStep(order: order), "the backend is \(done)")
  }

  /// The player carries it out.
  package func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
  {
    director.backendOrder = order
    if order == .start, !director.scenario.backendPersists {
      director.find(
        turn.step,
        "the backend was started again, and may have lost its data; if it keeps its data, write persists: true under"
          + " backend.", isFailure: false)
    }
    return nil
  }
}
