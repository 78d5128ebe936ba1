/// A virtual phone, by its number in the fleet; people write it `d17`.
package struct DeviceID: Hashable, Comparable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  // The one that is made by itself is called through its table from other modules.
  @inlinable package static func == (left: DeviceID, right: DeviceID) -> Bool { left.number == right.number }

  package init?(_ text: some StringProtocol) {
    guard text.first == "d", let number = UInt32(text.dropFirst()), "d\(number)" == text else { return nil }
    self.number = number
  }

  /// Which part of the fleet the device belongs to: its number modulo 256. Its tokens carry it as their second byte.
  package var partition: UInt8 { UInt8(truncatingIfNeeded: number) }

  package var text: String { "d\(number)" }

  package static func < (left: DeviceID, right: DeviceID) -> Bool { left.number < right.number }
}
