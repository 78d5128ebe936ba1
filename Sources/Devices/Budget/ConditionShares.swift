/// How much of a budget each condition leaves, in thousandths.
///
/// Assumed: that they multiply, and every figure. 65.535 times is the most that can be said, so that no product of
/// all five with any capacity is beyond 64 bits.
package struct ConditionShares: Hashable, Sendable {
  package var lowPower: UInt16 = 500
  package var batteryBelow20: UInt16 = 750
  package var thermalSerious: UInt16 = 250
  package var charging: UInt16 = 1500
  package var screenOff: UInt16 = 1000

  package init() {}

  /// The capacity that is left: the exact product, rounded down once.
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
