import APNs

/// What a phone's power and screen are like, and what its owner has switched on.
///
/// Documented: the budget depends on the condition of the device; Apple does not say how.
package struct DeviceCondition: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let lowPower = DeviceCondition(rawValue: 1)
  package static let batteryBelow20 = DeviceCondition(rawValue: 2)
  package static let thermalSerious = DeviceCondition(rawValue: 4)
  package static let charging = DeviceCondition(rawValue: 8)
  package static let screenOn = DeviceCondition(rawValue: 16)
  package static let locked = DeviceCondition(rawValue: 32)
  package static let focus = DeviceCondition(rawValue: 64)
  /// Time-sensitive notifications pass the Focus.
  package static let timeSensitiveAllowed = DeviceCondition(rawValue: 128)
  /// Rebooted, and not unlocked since: no app is launched. Assumed from data protection.
  package static let beforeFirstUnlock = DeviceCondition(rawValue: 256)
  /// Live Activities are off for the whole device.
  package static let activitiesOff = DeviceCondition(rawValue: 512)
}
