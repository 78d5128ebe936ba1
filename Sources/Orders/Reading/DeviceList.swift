import APNs
import Devices
import Grammar
import Simulation
import WireFormats

/// Reads the devices named by an order, a filter or a condition: `device: d3` for one, `devices: [d3, d4]` for a list.
package enum DeviceList {
  private static let one = "device must be an id such as d17; for several, use devices."

  /// Each device once, even if it is named several times; nil if neither key is present.
  package static func read(_ fields: Fields, most: Int) throws(InputProblem) -> [DeviceID]? {
    let keys = fields.those(of: ["device", "devices"])
    guard let key = keys.first else { return nil }
    guard keys.count == 1 else {
      throw fields.problem("device", "device and devices cannot be combined.", code: .contradiction)
    }
    var devices: [DeviceID] = []
    var seen: Set<DeviceID> = []
    for name in try names(fields, key, most: most) {
      guard let id = DeviceID(name) else {
        throw fields.problem(key, key == "device" ? one : "devices must be a list of ids such as [\"d17\"].")
      }
      if seen.insert(id).inserted { devices.append(id) }
    }
    return devices
  }

  private static func names(_ fields: Fields, _ key: String, most: Int) throws(InputProblem) -> [String] {
    if key == "device" {
      guard let name = fields[key]?.text else { throw fields.problem(key, one, code: .wrongType) }
      return [name]
    }
    let list = fields.json(key)?.elements
    let names = list?.compactMap(\.string) ?? []
    guard let list, names.count == list.count, list.count <= most else {
      throw fields.problem(
        key, "devices must be a list of at most \(most) ids such as [\"d17\"].", code: .wrongType)
    }
    return names
  }

  package static func check(_ devices: some Sequence<DeviceID>, in fields: Fields, of fleet: Fleet) throws(InputProblem)
  {
    for device in devices where !fleet.contains(device) {
      let key = fields.has("device") ? "device" : "devices"
      throw fields.problem(
        key, "There is no device \(device.text); this fleet has d0 to d\(fleet.plan.devices - 1).", code: .notFound)
    }
  }
}
