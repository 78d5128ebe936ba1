import APNs
import Devices
import Grammar
import Simulation
import WireFormats

/// Reads the devices named by an order, a filter or a condition: `device: d3` for one, `devices: [d3, d4]` for a list.
package enum DeviceList {
  private static let one = "device must be an id such as d17; for several, use devices."
  private static let list = "devices must be a list of ids such as [\"d17\"]."

  /// Each device once, even if it is named several times; nil if neither key is present.
  package static func read(_ fields: Fields, least: Int = 0, most: Int) throws(InputProblem) -> [DeviceID]? {
    let keys = fields.those(of: ["device", "devices"])
    guard let key = keys.first else { return nil }
    guard keys.count == 1 else {
      throw fields.problem("device", "device and devices cannot be combined.", code: .contradiction)
    }
    var devices: [DeviceID] = []
    var seen: Set<DeviceID> = []
    for name in try names(fields, key, count: least...most) {
      guard let id = DeviceID(name) else { throw fields.problem(key, key == "device" ? one : list) }
      if seen.insert(id).inserted { devices.append(id) }
    }
    return devices
  }

  private static func names(_ fields: Fields, _ key: String, count: ClosedRange<Int>) throws(InputProblem) -> [String] {
    if key == "device" {
      guard let name = fields[key]?.text else { throw fields.problem(key, one, code: .wrongType) }
      return [name]
    }
    let list = fields.json(key)?.elements
    let names = list?.compactMap(\.string) ?? []
    guard let list, names.count == list.count, count.contains(list.count) else {
      let size = count.lowerBound == 0 ? "at most \(count.upperBound)" : "\(count.lowerBound) to \(count.upperBound)"
      throw fields.problem(key, "devices must be a list of \(size) ids such as [\"d17\"].", code: .wrongType)
    }
    return names
  }

  /// Reads `device`, which is required.
  static func needed(_ fields: Fields) throws(InputProblem) -> DeviceID {
    let name = try fields.needed("device", "the id of a device, such as d17")
    guard let device = DeviceID(name) else {
      throw fields.problem("device", "device must be the id of a device, such as d17, not \(Wording.quoted(name)).")
    }
    return device
  }

  package static func check(_ devices: some Sequence<DeviceID>, in fields: Fields, of fleet: Fleet) throws(InputProblem)
  {
    for device in devices where !fleet.contains(device) {
      let key = fields.has("device") ? "device" : "devices"
      throw fields.problem(key, fleet.unknown("device", device.text), code: .notFound)
    }
  }
}
