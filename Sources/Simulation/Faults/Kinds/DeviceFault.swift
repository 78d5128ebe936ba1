import Devices
import Grammar
import WireFormats

/// An action on devices when the fault comes into force, and another one when it is deleted or over.
struct DeviceFault: FaultKind {
  static let shape = Shape<Self>(members: [
    .needed("devices", at: \.action, as: .action, "An action on the devices, when the fault comes into force."),
    .maybe(
      "heal", at: \.heal, as: .action, "What is done when the fault is over. Default: the opposite, if there is one."),
  ])

  var action = DeviceAction.lock
  var heal: DeviceAction?

  var consequence: Fault.Consequence { .devices(action, heal: heal ?? action.kind.opposite) }
}

extension FieldForm<DeviceAction> {
  fileprivate static var action: FieldForm {
    FieldForm(DeviceAction.type, as: DeviceAction.schema) { (fields, name) throws(InputProblem) in
      guard let node = fields[name] else { return nil }
      return try DeviceAction.read(Fields(node, name, known: DeviceAction.keys))
    } write: {
      $0.json
    }
  }
}
