/// A version of iOS, as far as behaviour depends on it.
package struct OSVersion: Hashable, Comparable, Sendable {
  package let major: Int
  package let minor: Int

  package static let majors = 1...99
  package static let minors = 0...99

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `18.2` or `18`.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), (1...2).contains(parts.count),
      let major = Int(parts[0]), Self.majors.contains(major)
    else { return nil }
    guard parts.count == 2 else {
      self.init(major, 0)
      return
    }
    guard let minor = Int(parts[1]), Self.minors.contains(minor) else { return nil }
    self.init(major, minor)
  }

  package var text: String { "\(major).\(minor)" }

  package static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}
