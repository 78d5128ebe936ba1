import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Reads which devices an order is for: `where` with app, os, state, share, name and devices.
enum SelectionOrder {
  private static let members = ["app", "os", "state", "share", "name", "devices"]

  static func read(_ form: Form, _ fleet: Fleet) throws(AdminProblem) -> Selection {
    var selection = Selection()
    if let cursor = try form.text("cursor") {
      guard let start = Digits.read(cursor).flatMap({ UInt32(exactly: $0) }) else {
        throw AdminProblem(422, "cursor is what `next` of the answer before said, as it was.", field: "cursor")
      }
      selection.start = start
    }
    guard let place = form["where"] else {
      throw AdminProblem(
        422, "where is needed: an object with \(Words.list(members, "or")); {} stands for all devices.", field: "where")
    }
    let narrowed = try Form(place, named: "where", allowed: members)
    selection.filter.app = try narrowed.text("app")
    selection.filter.isOnline = try narrowed.choice("state", [("online", true), ("offline", false)])
    if let os = try narrowed.text("os") {
      guard let version = OSVersion(os) else {
        throw AdminProblem(422, "os is a version of iOS such as 18 or 18.5, not \(Words.quoted(os)).", field: "os")
      }
      if os.contains(".") { selection.filter.os = version } else { selection.filter.osMajor = version.major }
    }
    selection.shareName = try narrowed.text("name") ?? ""
    if let share = narrowed["share"] { selection.share = try Share(share, named: "share").odds }
    if let list = narrowed["devices"] { selection.devices = try devices(list, fleet) }
    return selection
  }

  /// Each once, however often it is named.
  private static func devices(_ value: JSONValue, _ fleet: Fleet) throws(AdminProblem) -> [DeviceID] {
    guard case .array(let names) = value, names.count <= Selection.mostChanged else {
      throw AdminProblem(
        422, "devices is a list of ids such as [\"d17\"], at most \(Selection.mostChanged).", field: "devices")
    }
    var devices: [DeviceID] = []
    var seen: Set<DeviceID> = []
    for name in names {
      guard let id = name.string.flatMap({ DeviceID($0) }) else {
        throw AdminProblem(422, "devices is a list of ids such as [\"d17\"].", field: "devices")
      }
      guard fleet.contains(id) else {
        throw AdminProblem(
          404, "There is no device \(id.text); this fleet has d0 to d\(fleet.plan.devices - 1).", field: "devices")
      }
      if seen.insert(id).inserted { devices.append(id) }
    }
    return devices
  }
}
