import APNs
import Devices

/// The devices of a selection, some at a time.
package struct DeviceCursor: Sendable {
  private var selection: Selection
  /// The devices that the selection names and that are left; nil if it names none.
  private var named: ArraySlice<DeviceID>?
  private var isScanned = false
  /// Devices found in advance, because each search makes a matcher of the selection.
  private var page: ArraySlice<DeviceID> = []
  private static let pageSize = 100

  package init(_ selection: Selection) {
    self.selection = selection
    named = selection.filter.devices?[...]
  }

  /// Takes the next devices. There may be none although others are left.
  ///
  /// - Parameters:
  ///   - most: maximum number of devices.
  ///   - work: as many devices are looked at, at most; those that were are subtracted.
  /// - Returns: nil at the end.
  mutating func next(in world: World, most: Int, _ work: inout Int) -> [DeviceID]? {
    guard !isScanned else { return nil }
    if selection.filter.user != nil {
      selection.filter = world.deviceState.fleet.resolved(selection.filter)
      named = selection.filter.devices?[...]
    }
    let most = max(1, most)
    if let left = named {
      selection.filter.devices = Array(left.prefix(most))
      named = left.dropFirst(most)
      isScanned = left.count <= most
      work -= most
      return world.devices(of: selection, most: most).devices
    }
    let page = world.devices(of: selection, most: most, scanning: UInt32(clamping: max(1, work)))
    isScanned = page.next == nil
    let end = page.next ?? world.deviceState.fleet.plan.devices
    work -= Int(end - min(selection.start, end))
    selection.start = end
    return page.devices
  }

  /// Takes the next device.
  ///
  /// - Parameters:
  ///   - world: not changed. By reference, because its caller changes it, and Swift would copy it for each device.
  ///   - work: maximum number of devices to look at; those that were are subtracted.
  /// - Returns: nil at the end, or if no work is left.
  package mutating func nextDevice(in world: inout World, _ work: inout Int) -> DeviceID? {
    if page.isEmpty { findPage(in: &world, &work) }
    return page.popFirst()
  }

  private mutating func findPage(in world: inout World, _ work: inout Int) {
    while page.isEmpty, work > 0, let next = next(in: world, most: Self.pageSize, &work) { page = next[...] }
  }

  /// True if every device was taken.
  package var isAtEnd: Bool { isScanned && page.isEmpty }
}
