/// The id of a person, such as `u17`: the number of the person's first phone.
package struct UserID: Hashable, Sendable {
  package let number: UInt32

  init(_ number: UInt32) { self.number = number }

  /// A regular expression for the texts of these ids.
  package static let pattern = "^u(0|[1-9][0-9]{0,8})$"

  package init?(_ text: some StringProtocol) {
    guard text.first == "u", let number = UInt32(text.dropFirst()), "u\(number)" == text else { return nil }
    self.number = number
  }

  package var text: String { "u\(number)" }
}
