/// The targets that are fed with random bytes: each target takes any bytes, and neither traps, nor hangs, nor breaks a
/// rule.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// The bytes of an HTTP/2 connection, with answers, resets and limits between the reads.
  case session
  /// Pushes to the tokens of a few phones, with orders and time between them.
  case push
  /// Pushes, orders, faults, keys and time, down every way of a push into a world of its own.
  case ways
  /// Provider tokens, judged by a gate with a real key.
  case token
  /// Records of a tape; their checksums are made good first.
  case tape
  case scenario
  case settings
  case profile
  /// Requests of the admin API, one a line.
  case admin

  /// - Throws: `FuzzFinding` where a rule was broken.
  public func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    switch self {
    case .session: try SessionTarget.run(bytes)
    case .push: try PushTarget.run(bytes)
    case .ways: try WaysTarget.run(bytes)
    case .token: try TokenTarget.run(bytes)
    case .tape: try TapeTarget.run(bytes)
    case .scenario: try FileTargets.scenario(bytes)
    case .settings: try FileTargets.settings(bytes)
    case .profile: try FileTargets.profile(bytes)
    case .admin: try AdminTarget.run(bytes)
    }
  }
}

/// A rule that was broken, in a sentence.
public struct FuzzFinding: Error, Sendable, CustomStringConvertible {
  public let description: String

  init(_ sentence: String) { description = sentence }

  static func require(_ truth: Bool, _ sentence: @autoclosure () -> String) throws(FuzzFinding) {
    guard truth else { throw FuzzFinding(sentence()) }
  }
}

/// Reads an input from its beginning to its end as choices and runs of bytes.
struct Choices {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { index >= bytes.count }

  /// 0 once nothing is left.
  mutating func byte() -> UInt8 {
    guard index < bytes.count else { return 0 }
    defer { index += 1 }
    return bytes[index]
  }

  /// A number below `limit`, of one byte.
  mutating func below(_ limit: Int) -> Int { Int(byte()) % max(limit, 1) }

  mutating func number() -> Int { Int(byte()) << 8 | Int(byte()) }

  /// As many bytes as are left, at most.
  mutating func run(_ count: Int) -> [UInt8] {
    let end = min(index + count, bytes.count)
    defer { index = end }
    return Array(bytes[index..<end])
  }

  /// All up to a byte, which is passed over.
  mutating func run(until end: UInt8) -> [UInt8] {
    let rest = bytes[index...]
    let stop = rest.firstIndex(of: end) ?? bytes.count
    index = min(stop + 1, bytes.count)
    return Array(rest[..<stop])
  }
}
