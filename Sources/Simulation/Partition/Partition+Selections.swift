import APNs
import Devices
import Timeline

/// Resolves selections of devices.
extension Partition {
  /// The devices of a selection, and where to continue if there are more than one order processes.
  func devices(of selection: Selection) -> (devices: [DeviceID], next: UInt32?) {
    let draw = selectionDraw(selection)
    if let named = selection.devices {
      return (named.filter { fleet.contains($0) && isSelected($0, by: selection, draw) }, nil)
    }
    var found: [DeviceID] = []
    found.reserveCapacity(min(Int(fleet.plan.devices), Selection.mostChanged))
    let next = scan(from: selection.start) { id in
      guard found.count < Selection.mostChanged else { return false }
      if isSelected(id, by: selection, draw) { found.append(id) }
      return true
    }
    return (found, next)
  }

  func selectionDraw(_ selection: Selection) -> Chance {
    Chance(seed: fleet.plan.seed).stream(for: "selection " + selection.shareName)
  }

  func isSelected(_ id: DeviceID, by selection: Selection, _ draw: Chance) -> Bool {
    matches(selection.filter, id) && draw.strikes(selection.share, UInt64(id.number))
  }

  /// Devices from number `start` on, and where to continue.
  ///
  /// - Parameter most: maximum number of devices to look at.
  func devices(
    _ filter: World.DeviceFilter, from start: UInt32, limit: Int, most: UInt32 = World.mostScanned, at now: Instant
  ) -> (devices: [DeviceView], next: UInt32?) {
    var found: [DeviceView] = []
    let next = scan(from: start, most: most) { id in
      guard found.count < limit else { return false }
      guard matches(filter, id), let view = device(id, at: now) else { return true }
      found.append(view)
      return true
    }
    return (found, next)
  }

  func scan(from start: UInt32, most: UInt32 = World.mostScanned, _ look: (DeviceID) -> Bool) -> UInt32? {
    var number = start
    while number < fleet.plan.devices {
      guard number - start < most, look(DeviceID(number)) else { return number }
      number += 1
    }
    return nil
  }

  private func matches(_ filter: World.DeviceFilter, _ id: DeviceID) -> Bool {
    if let online = filter.isOnline, fleet.isOnline(id) != online { return false }
    let os = fleet.os(of: id)
    if let wanted = filter.os, !wanted.matches(os) { return false }
    guard let app = filter.app else { return true }
    return fleet.plan.apps.indices.contains { index in
      fleet.plan.apps[index].bundleID == app && fleet.install(id, app: index).isInstalled
    }
  }
}
