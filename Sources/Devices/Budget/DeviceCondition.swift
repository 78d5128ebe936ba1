/// What a phone's power and screen are like, as far as throttling depends on it.
///
/// Documented: the budget depends on the condition of the device; Apple does not say how.
package struct DeviceCondition: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let lowPower = DeviceCondition(rawValue: 1)
  package static let batteryBelow20 = DeviceCondition(rawValue: 2)
  package static let thermalSerious = DeviceCondition(rawValue: 4)
  package static let charging = DeviceCondition(rawValue: 8)
  package static let screenOn = DeviceCondition(rawValue: 16)
  package static let locked = DeviceCondition(rawValue: 32)
}
