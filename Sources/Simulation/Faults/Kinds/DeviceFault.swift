import Devices
import Grammar

/// An action on devices when the fault comes into force, and another one when it is deleted or over.
struct DeviceFault: FaultKind {
  static let word = "devices"
  static let type = ActionReader.type
  static let details = [FaultMember("heal", ActionReader.type)]

  var action: DeviceAction
  var heal: DeviceAction?

  var consequence: Fault.Consequence { .devices(action, heal: heal) }
}

extension DeviceFault {
  init(_ fields: Fields) throws(InputProblem) {
    guard let action = try Self.action(fields, Self.word) else {
      throw fields.problem(Self.word, "devices must be an action such as {\"do\":\"goOffline\"}.")
    }
    self.action = action
    heal = try Self.action(fields, "heal") ?? action.opposite
  }

  private static func action(_ fields: Fields, _ name: String) throws(InputProblem) -> DeviceAction? {
    guard let node = fields[name] else { return nil }
    return try ActionReader.read(Fields(node, name, known: ActionReader.members))
  }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, ActionWriter.json(action))
    object.put("heal", heal.map(ActionWriter.json))
  }
}
