import APNs
import Devices
import Grammar
import Orders
import Simulation
import Timeline
import WireFormats

/// An action of a person, an app or the system on one device or several.
struct DeviceStep: StepActionKind {
  private enum Target: Sendable {
    case one(DeviceID)
    case some(Selection)
  }

  static let key = "do"
  static let type = ValueType.words(DeviceAction.names).meaning("What a person, an app or the system does on phones.")
  /// The members beside `do`.
  static let details: [(name: String, type: ValueType)] = {
    let own: [(name: String, type: ValueType)] = [
      ("device", .defined("device") { .device }.meaning("Of `do`: the device. Instead of `where`.")),
      ("where", .selection.meaning("Of `do`: the devices that match every condition; {} selects all.")),
    ]
    let names = StepListReader.timeKeys + StepKinds.all.map { $0.key } + own.map(\.name)
    return own + DeviceAction.type.members.filter { !names.contains($0.name) }
  }()

  private let target: Target
  private let action: DeviceAction

  var channels: [String] { action.channel.flatMap { try? ScenarioText($0) }?.channels ?? [] }

  static func read(_ node: SourceNode, of fields: Fields, _ names: ScenarioNames) throws(InputProblem) -> (Self, String)
  {
    let action = try DeviceAction.read(fields, beside: StepListReader.timeKeys + ["device", "where"])
    if fields.has("app") { _ = try names.app(fields) }
    let name = try fields.text("do") ?? ""
    if let device = try names.device(fields) {
      guard !fields.has("where") else { throw fields.problem("where", "device and where cannot be combined.") }
      return (DeviceStep(target: .one(device), action: action), "\(name) on \(device.text)")
    }
    guard let place = fields["where"] else {
      throw fields.problem(
        nil, "\(name) needs devices: use device: d3, or where: {share: 10%}; where: {} selects all.")
    }
    let narrowed = try Fields(place, "where", known: SelectionReader.members)
    let selection = try names.selection(narrowed, SelectionReader.members)
    let which = narrowed.those(of: SelectionReader.members)
    return (
      DeviceStep(target: .some(selection), action: action),
      "\(name) on \(which.isEmpty ? "all devices" : "devices by \(Wording.list(which))")"
    )
  }

  func begin(_ turn: StepTurn, in director: inout ScenarioDirector, _ simulator: inout Simulator) -> MomentRest? {
    let action = director.provider.naming(action)
    switch target {
    case .one(let device):
      if simulator.world.fleet.owns(device) {
        director.order(.device(device, action), of: turn, in: &simulator)
      }
      return nil
    case .some(let selection): return .acting(action, DeviceCursor(selection), CommandOutcome())
    }
  }
}
