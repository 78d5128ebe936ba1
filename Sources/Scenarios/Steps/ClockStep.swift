import Grammar
import Simulation
import Timeline

/// Advances the world's clock; everything due in between happens.
package struct ClockStep: StepActionKind {
  static let key = "clock"
  static let type = ValueType.duration.meaning(
    "How far the world's clock advances, such as 8h; everything due in between happens.")

  package let jump: Duration

  package init(_ jump: Duration) { self.jump = jump }

  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
  {
    guard let jump = try fields.duration(key), jump > .zero, jump <= WorldClock.longestStep else {
      let most = DurationText.write(WorldClock.longestStep)
      throw fields.problem(key, "clock must be how far the world's clock advances, such as 8h; at most \(most).")
    }
    return (ClockStep(jump), "the world's clock advances by \(DurationText.write(jump))")
  }

  package func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
  {
    director.jumped += jump
    if director.pace == .live { simulator.clock.advance(by: jump) }
    return nil
  }
}
