import Grammar
import Orders
import Simulation
import Timeline

/// Sets a fault in the JSON form of the admin API; its times are relative to when it is set.
package struct FaultStep: StepActionKind {
  static let key = "fault"
  static let type = ValueType.fault.meaning("A fault that is set; its times count from then.")

  let fault: Fault

  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
  {
    try read(node, names)
  }

  static func read(_ node: SourceNode, _ names: ScenarioNames) throws(InputProblem) -> (Self, String) {
    let fault = try FaultReader.read(node, names.fleet, at: Instant(nanoseconds: 0))
    let (when, condition) = (node["when"] ?? node, fault.condition)
    if condition.filter.share.numerator == 0 || condition.filter.devices?.isEmpty ?? false {
      throw InputProblem(
        when.place, "this fault can never strike: it selects no device; leave share and devices out for all.")
    }
    if fault.odds.numerator == 0 || fault.limit == 0 {
      throw InputProblem(
        node.place, "this fault can never strike: its odds or its limit are 0; leave the fault out.")
    }
    return (FaultStep(fault: fault), "the fault \(fault.name) is set" + span(fault))
  }

  /// The time in which a fault is in force, if it is limited; relative to when it is set.
  private static func span(_ fault: Fault) -> String {
    func after(_ moment: Instant) -> String { DurationText.write(Instant(nanoseconds: 0).duration(to: moment)) }
    switch (fault.from, fault.until) {
    case (nil, nil): return ""
    case (let from?, nil): return ", in force from \(after(from)) later on"
    case (nil, let until?): return ", in force for \(after(until))"
    case (let from?, let until?): return ", in force from \(after(from)) to \(after(until)) later"
    }
  }

  package func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
  {
    director.rememberStruck(simulator.world.faults)
    director.order(.setFault(fault.counted(from: turn.now.world)), of: turn, in: &simulator)
    return nil
  }
}

/// Deletes a fault, or all of them.
package struct DeleteFaultStep: StepActionKind {
  static let key = "deleteFault"
  static let type = ValueType.text().meaning("The name of a fault that is deleted, or `all`.")

  /// Nil for all faults.
  package let name: String?

  package init(name: String?) { self.name = name }

  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
  {
    let name = try fields.text(key) ?? ""
    return name == "all"
      ? (DeleteFaultStep(name: nil), "all faults are deleted")
      : (DeleteFaultStep(name: name), "the fault \(name) is deleted")
  }

  package func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest?
  {
    director.rememberStruck(simulator.world.faults)
    director.order(name.map { .deleteFault($0) } ?? .deleteAllFaults, of: turn, in: &simulator)
    return nil
  }
}
