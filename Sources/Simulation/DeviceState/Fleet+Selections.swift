import APNs
import Devices
import Timeline

/// Resolves selections of devices.
extension Fleet {
  /// The devices of a selection, and where to continue if there are more than one order processes.
  ///
  /// - Parameters:
  ///   - most: maximum number of devices.
  ///   - scanned: maximum number of devices to look at.
  func devices(of selection: Selection, most: Int, scanning scanned: UInt32) -> (devices: [DeviceID], next: UInt32?) {
    let matcher = matcher(selection)
    if let named = resolved(selection.filter).devices {
      return (named.filter { contains($0) && owns($0) && matches(matcher, $0) }, nil)
    }
    var found: [DeviceID] = []
    found.reserveCapacity(min(Int(plan.ownDevices), most))
    let next = scan(from: selection.start, most: scanned, of: plan.cell) { id in
      guard found.count < most else { return false }
      if matches(matcher, id) { found.append(id) }
      return true
    }
    return (found, next)
  }

  /// The filter with the phones of its user as devices.
  package func resolved(_ filter: Filter) -> Filter {
    guard let user = filter.user else { return filter }
    var resolved = filter
    let phones = phones(of: user)
    resolved.devices = filter.devices?.filter { phones.contains($0) } ?? phones
    resolved.user = nil
    return resolved
  }

  /// The sentence for a filter whose user has none of the devices that it selects; nil for any other filter.
  package func problem(ofUser filter: Filter) -> String? {
    guard let user = filter.user, resolved(filter).devices?.isEmpty == true else { return nil }
    let phones = phones(of: user).map(\.text).joined(separator: " and ")
    guard phones.isEmpty else { return "\(user.text) has \(phones), and none of the devices named." }
    guard contains(DeviceID(user.number)) else {
      return unknown("user", user.text)
    }
    return "There is no user \"\(user.text)\": d\(user.number) is the second phone of u\(user.number - 1)."
  }

  func matcher(_ selection: Selection) -> Matcher {
    Matcher(
      resolved(selection.filter), apps: plan.apps.map(\.bundleID),
      share: Chance(seed: plan.seed).stream(for: "selection " + selection.shareName))
  }

  func matches(_ matcher: Matcher, _ id: DeviceID) -> Bool {
    if matcher.parts.isEmpty { return true }
    var subject = DeviceSubject(id, self, for: matcher)
    return matcher.matches(&subject)
  }

  /// - Parameter cell: the cell whose devices are looked at; nil for all.
  func scan(
    from start: UInt32, most: UInt32 = World.mostScanned, of cell: Cell?, _ look: (DeviceID) -> Bool
  ) -> UInt32? {
    var number = start
    while true {
      // A cursor may be any number, and a cell's next device would not fit.
      guard number < plan.devices else { return nil }
      if let cell { number = cell.first(from: DeviceID(number)).number }
      guard number < plan.devices else { return nil }
      guard number - start < most else { return start + most }
      guard look(DeviceID(number)) else { return number }
      number += 1
    }
  }
}
