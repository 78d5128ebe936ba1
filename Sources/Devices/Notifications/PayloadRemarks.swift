import WireFormats

/// What was overlooked in a payload, each thing once and in the order of reading.
package struct PayloadRemarks: Hashable, Sendable {
  package private(set) var list: [PayloadRemark] = []

  package init() {}

  mutating func note(_ remark: PayloadRemark) {
    if !list.contains(remark) { list.append(remark) }
  }

  // MARK: - Reading a member, or remarking that it cannot be read

  /// Assumed: `null` is the same as nothing, and no mistake.
  static func present(_ node: JSONNode?) -> JSONNode? { node.flatMap { $0.isNull ? nil : $0 } }

  mutating func string(_ node: JSONNode?, or remark: PayloadRemark) -> String? {
    guard let node = Self.present(node) else { return nil }
    guard let text = node.string else {
      note(remark)
      return nil
    }
    return text
  }

  /// A member that says yes with the number 1.
  ///
  /// Assumed: `true` and `"1"` say nothing, as Apple asks for a number.
  mutating func flag(_ node: JSONNode?, or remark: PayloadRemark) -> Bool {
    guard let node = Self.present(node) else { return false }
    switch node.wholeNumber {
    case 1: return true
    case 0: return false
    default:
      note(remark)
      return false
    }
  }

  /// A number from 0 to 1.
  mutating func share(_ node: JSONNode?, or remark: PayloadRemark) -> Double? {
    guard let node = Self.present(node) else { return nil }
    guard let number = node.double, (0...1).contains(number) else {
      note(remark)
      return nil
    }
    return number
  }
}
