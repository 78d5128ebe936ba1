import APNs

/// The state of a phone's power and screen, and its owner's switches.
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
  /// Rebooted and not unlocked since: no app can be launched. Assumed from data protection.
  package static let beforeFirstUnlock = DeviceCondition(rawValue: 256)
  /// Live Activities are off for the whole device.
  package static let activitiesOff = DeviceCondition(rawValue: 512)
  /// Turned on its side, as for StandBy.
  package static let onItsSide = DeviceCondition(rawValue: 1024)
  /// Connected to a car.
  package static let inCar = DeviceCondition(rawValue: 2048)
  /// A Mac of the same owner is near.
  package static let besideMac = DeviceCondition(rawValue: 4096)
}

/// The share of a budget left in each condition, in thousandths.
///
/// Assumed: that they multiply, and every figure. A share is at most 65.535, so that the product of all five with any
/// capacity fits in 64 bits.
package struct ConditionShares: Hashable, Sendable {
  package var lowPower: UInt16 = 500
  package var batteryBelow20: UInt16 = 750
  package var thermalSerious: UInt16 = 250
  package var charging: UInt16 = 1500
  package var screenOff: UInt16 = 1000

  package init() {}

  /// The remaining capacity: the exact product, rounded down once.
  package func scale(_ capacity: UInt32, in condition: DeviceCondition) -> Int {
    var numerator = UInt128(capacity)
    var denominator: UInt128 = 1
    func multiply(by share: UInt16, when applies: Bool) {
      guard applies, share != 1000 else { return }
      numerator *= UInt128(share)
      denominator *= 1000
    }
    multiply(by: lowPower, when: condition.contains(.lowPower))
    multiply(by: batteryBelow20, when: condition.contains(.batteryBelow20))
    multiply(by: thermalSerious, when: condition.contains(.thermalSerious))
    multiply(by: charging, when: condition.contains(.charging))
    multiply(by: screenOff, when: !condition.contains(.screenOn))
    return denominator == 1 ? Int(capacity) : Int(numerator / denominator)
  }
}
