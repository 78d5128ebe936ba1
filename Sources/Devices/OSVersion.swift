/// A version of iOS, as far as simulated behaviour depends on it.
package struct OSVersion: Hashable, Comparable, Sendable {
  // A byte each: every phone has one.
  private let majorByte: Int8
  private let minorByte: Int8

  package var major: Int { Int(majorByte) }
  package var minor: Int { Int(minorByte) }

  package static let majors = 1...99
  package static let minors = 0...99

  /// Values outside of `majors` and `minors` are clamped to a byte.
  package init(_ major: Int, _ minor: Int) {
    majorByte = Int8(clamping: major)
    minorByte = Int8(clamping: minor)
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

/// A version of iOS, or all versions with one major number: `26.1`, or `26`.
package struct OSPattern: Hashable, Sendable {
  package let major: Int
  /// Nil for all of them.
  package let minor: Int?

  package init(_ major: Int, _ minor: Int? = nil) {
    self.major = major
    self.minor = minor
  }

  /// Reads `26` or `26.1`.
  package init?(_ text: String) {
    guard let version = OSVersion(text) else { return nil }
    self.init(version.major, text.contains(".") ? version.minor : nil)
  }

  package var text: String { minor.map { "\(major).\($0)" } ?? "\(major)" }

  package func matches(_ version: OSVersion) -> Bool {
    version.major == major && (minor.map { version.minor == $0 } ?? true)
  }
}
