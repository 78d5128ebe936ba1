import Grammar
import Simulation
import Timeline

/// Steps one after another.
enum SerialSteps: StepListKind {
  static let key = "serial"
  static let type = ValueType.steps.meaning("Steps one after another.")

  static func read(
    _ node: SourceNode, from begin: Duration, depth: Int, into list: inout StepListReader
  ) throws(InputProblem) -> Duration {
    try list.serial(node, key, from: begin, depth: depth)
  }
}

/// Steps that all count from the beginning of the list.
enum ParallelSteps: StepListKind {
  static let key = "parallel"
  static let type = ValueType.steps.meaning("Steps that all count from the beginning of the list.")

  static func read(
    _ node: SourceNode, from begin: Duration, depth: Int, into list: inout StepListReader
  ) throws(InputProblem) -> Duration {
    var end = begin
    for node in try list.list(node, key) {
      end = max(end, try list.step(node, from: begin, after: begin, depth: depth).end)
    }
    return end
  }
}

/// A list of steps that is repeated.
enum RepeatedSteps: StepListKind {
  static let key = "repeat"
  static let type = content.meaning("Repeats a list of steps.")
  private static let content = ValueType.members(
    [
      ("times", .anyWhole.meaning("How often.")),
      ("every", .duration.meaning("The time from one beginning to the next, such as 10m. Default: no pause.")),
      ("steps", .steps),
    ], needed: ["times", "steps"])

  static func read(
    _ node: SourceNode, from begin: Duration, depth: Int, into list: inout StepListReader
  ) throws(InputProblem) -> Duration {
    let fields = try Fields(node, key, known: content.keys)
    guard let times = try fields.whole("times", 1...StepListReader.mostTimes), let inner = fields["steps"] else {
      throw fields.problem(nil, "repeat must have times and steps: {times: 3, every: 10m, steps: [...]}.")
    }
    let every = try fields.duration("every")
    var end = begin
    for number in 0..<times {
      let start = every.map { begin + $0 * number } ?? end
      let over = try list.serial(inner, "steps", from: start, depth: depth)
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
}
