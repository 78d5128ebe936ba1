/// A virtual phone, by its number in the fleet; users write it `d17`.
package struct DeviceID: Hashable, Comparable, Sendable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  // Written out because other modules call the synthesized version through a witness table.
  @inlinable package static func == (left: DeviceID, right: DeviceID) -> Bool { left.number == right.number }

  /// A regular expression for the texts of these ids. No fleet needs more digits.
  package static let pattern = "^d(0|[1-9][0-9]{0,8})$"

  package init?(_ text: some StringProtocol) {
    guard text.first == "d", let number = UInt32(text.dropFirst()), "d\(number)" == text else { return nil }
    self.number = number
  }

  /// The device's partition of the fleet: its number modulo 256. It is the second byte of the device's tokens.
  package var partition: UInt8 { UInt8(truncatingIfNeeded: number) }

  package var text: String { "d\(number)" }

  package static func < (left: DeviceID, right: DeviceID) -> Bool { left.number < right.number }
}
