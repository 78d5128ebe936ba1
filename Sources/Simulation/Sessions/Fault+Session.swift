import Devices

extension Fault {
  /// No name has this character in it, so no fault for all is taken for a session's.
  package static let separator: Character = "\u{1F}"

  /// What tells a session's fault apart: two sessions may have faults that are called the same.
  package static func name(_ label: String, of session: String) -> String { session + String(separator) + label }

  /// What its author calls it.
  package var label: String { session.map { String(name.dropFirst($0.count + 1)) } ?? name }

  /// The same for the pushes and phones of a session only.
  package func bound(to session: TestSession) throws(CommandProblem) -> Fault {
    guard session.isOpen else {
      throw CommandProblem(
        .conflict, "session", "The session \(session.name) is closed, so no fault can be set for it.")
    }
    var fault = self
    fault.session = session.name
    fault.name = Self.name(name, of: session.name)
    fault.condition.scope = session.scope
    let mine = session.scope.devices
    switch consequence {
    case .listener:
      throw CommandProblem(
        .senseless, "session",
        "A listener is everybody's, so a fault of listeners cannot be for one session; leave session out.")
    case .connection where condition.isOfConnections:
      throw CommandProblem(
        .senseless, "session",
        "Until a push comes, a connection is everybody's, so a fault of opening or idle ones cannot be for one session;"
          + " leave session out.")
    case .devices where mine == nil, .prompts where mine == nil, .reports where mine == nil:
      throw CommandProblem(
        .senseless, "session",
        "The session \(session.name) names no devices, so this fault would be done to those of others; open it with"
          + " devices.")
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
        .senseless, "devices",
        "None of these devices is of the session \(session.name), so the fault would never strike.")
    }
    fault.condition.filter.devices = shared
    return fault
  }
}
