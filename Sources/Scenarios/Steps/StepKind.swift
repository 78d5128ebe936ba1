import Grammar
import Orders
import Simulation
import Timeline

/// A kind of step. One file has everything about it: its key, the type of the key's value with a sentence for
/// documents, its reader and, for an action, its effect.
protocol StepKind: Sendable {
  static var key: String { get }
  /// The type of the key's value, with a sentence.
  static var type: ValueType { get }

  /// Reads a step of this kind, and adds what it does to a list.
  ///
  /// - Parameters:
  ///   - begin: when the list that contains the step begins.
  ///   - first: when the step begins.
  ///   - depth: the depth of the lists within the step.
  /// - Returns: when the step ends.
  static func add(
    _ fields: Fields, from begin: Duration, at first: Duration, depth: Int, to list: inout StepListReader
  ) throws(InputProblem) -> Duration
}

/// A repetition of a step.
package struct StepTurn: Sendable {
  let step: Scenario.Step
  /// The number of the repetition, from 1.
  let round: Int
  let now: Now
}

/// The action of a step.
package protocol StepAction: Sendable {
  /// The channels that it needs, by their names in the scenario.
  var channels: [String] { get }

  /// Does the part of the action that takes no longer in a larger fleet.
  ///
  /// - Returns: the rest; nil if the action is done.
  func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
}

extension StepAction {
  package var channels: [String] { [] }
}

/// A kind of step that is an action.
protocol StepActionKind: StepKind, StepAction {
  /// The action, and a description of it for reports.
  ///
  /// - Parameters:
  ///   - node: the value of the key.
  ///   - fields: the whole step.
  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
}

extension StepActionKind {
  static func add(
    _ fields: Fields, from begin: Duration, at first: Duration, depth: Int, to list: inout StepListReader
  ) throws(InputProblem) -> Duration {
    try list.add(Self.self, fields, from: begin, at: first)
  }
}

/// A kind of step that is a list of steps.
protocol StepListKind: StepKind {
  /// - Returns: when the last of its steps ends.
  static func read(
    _ node: SourceNode, from begin: Duration, depth: Int, into list: inout StepListReader
  ) throws(InputProblem) -> Duration
}

extension StepListKind {
  static func add(
    _ fields: Fields, from begin: Duration, at first: Duration, depth: Int, to list: inout StepListReader
  ) throws(InputProblem) -> Duration {
    let node = try list.nested(fields, key: key)
    return try read(node, from: first, depth: depth, into: &list)
  }
}

/// Every kind of step, in the order in which they are listed.
enum StepKinds {
  static let all: [any StepKind.Type] = [
    DeviceStep.self, PushStep.self, CreateChannelStep.self, BroadcastStep.self, DeleteChannelStep.self, ClockStep.self,
    FaultStep.self, DeleteFaultStep.self, RegisterStep.self, KeysStep.self, CertificatesStep.self,
    BackendStep.self, SerialSteps.self, ParallelSteps.self, RepeatedSteps.self,
  ]
}

extension ValueType {
  /// A step.
  package static let step = ValueType.defined("step") { StepListReader.type }
  /// A list of steps.
  package static let steps = ValueType.defined("steps") { .list(of: .step, least: 1) }
  package static let fault = ValueType.defined("fault") { FaultReader.type }
  package static let expectation = ValueType.defined("expectation") { ExpectationReader.type }
  static let selection = ValueType.defined("selection") { SelectionReader.type }
}
