/// A person: the number of the person's first phone, and as text `u17`.
package struct UserID: Hashable, Sendable {
  package let number: UInt32

  init(_ number: UInt32) { self.number = number }

  /// The texts of users as a regular expression, like those of devices.
  package static let pattern = "^u(0|[1-9][0-9]{0,8})$"

  package init?(_ text: some StringProtocol) {
    guard text.first == "u", let number = UInt32(text.dropFirst()), "u\(number)" == text else { return nil }
    self.number = number
  }

  package var text: String { "u\(number)" }
}
