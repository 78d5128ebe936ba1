import Devices

extension Fault {
  /// A copy of the fault that affects only the pushes and phones of a session.
  package func bound(to session: TestSession) throws(CommandProblem) -> Fault {
    guard session.isOpen else {
      throw CommandProblem(
        .conflict, field: "session", sentence: "The session \(session.name) is closed, so no fault can be set for it.")
    }
    var fault = self
    fault.session = session.name
    fault.name = Self.name(name, of: session.name)
    fault.condition.scope = session.scope
    let mine = session.scope.devices
    switch consequence {
    case .listener:
      throw CommandProblem(
        .impossible, field: "session",
        sentence: "Listeners are shared, so a listener fault cannot belong to one session; leave session out.")
    case .connection where condition.isOfConnections:
      throw CommandProblem(
        .impossible, field: "session",
        sentence:
          "A connection without pushes belongs to no session, so a fault of opening or idle connections cannot belong"
          + " to one session; leave session out.")
    case .devices where mine == nil, .prompts where mine == nil, .reports where mine == nil:
      throw CommandProblem(
        .impossible, field: "session",
        sentence:
          "The session \(session.name) names no devices, so this fault would affect other sessions' devices; open it"
          + " with devices.")
    default: break
    }
    guard let mine else { return fault }
    guard let named = condition.filter.devices else {
      fault.condition.filter.devices = mine
      return fault
    }
    let shared = named.filter(Set(mine).contains)
    guard !shared.isEmpty else {
      throw CommandProblem(
        .impossible, field: "devices",
        sentence: "None of these devices belongs to the session \(session.name), so the fault would never strike.")
    }
    fault.condition.filter.devices = shared
    return fault
  }
}
