import APNs
import Devices

/// The numeric values of a subject, packed into words, so that a subject that does not match costs only a few
/// instructions: fifty faults must not make every push 10 % slower.
///
/// A value that a subject does not have is all ones. A value that a filter needs and no subject has is one less, so
/// the two are never equal.
struct MatchNumbers: Hashable, Sendable {
  /// Environment, priority, push type, kind of token, app, major and minor version of iOS.
  var sent = UInt64.max
  /// Status, and truth values.
  var came = UInt64.max
  var connection = UInt64.max
  var device = UInt64.max

  init() {}

  /// The bits of a part; nil if it is not numeric.
  init?(bitsOf part: Filter.Part) {
    (sent, came, connection, device) = (0, 0, 0, 0)
    switch part {
    case .environment: sent = Self.byte
    case .priority: sent = Self.byte << 8
    case .type: sent = Self.byte << 16
    case .tokenKind: sent = Self.byte << 24
    case .app: sent = 0xFFFF << 32
    case .os: sent = 0xFFFF << 48
    case .status: came = 0xFFFF
    case .isOnline: came = Self.byte << 16
    case .isLive: came = Self.byte << 24
    case .isFailed: came = Self.byte << 32
    case .connection: connection = .max
    case .devices: device = .max
    default: return nil
    }
  }

  /// True if both are equal in the bits of a mask.
  func isSame(as other: MatchNumbers, in mask: MatchNumbers) -> Bool {
    (sent ^ other.sent) & mask.sent | (came ^ other.came) & mask.came
      | (connection ^ other.connection) & mask.connection | (device ^ other.device) & mask.device == 0
  }

  /// Copies the bits of a mask from another.
  mutating func take(_ other: MatchNumbers, in mask: MatchNumbers) {
    sent = sent & ~mask.sent | other.sent & mask.sent
    came = came & ~mask.came | other.came & mask.came
    connection = connection & ~mask.connection | other.connection & mask.connection
    device = device & ~mask.device | other.device & mask.device
  }

  static func & (left: MatchNumbers, right: MatchNumbers) -> MatchNumbers {
    var both = left
    both.sent &= right.sent
    both.came &= right.came
    both.connection &= right.connection
    both.device &= right.device
    return both
  }

  static func | (left: MatchNumbers, right: MatchNumbers) -> MatchNumbers {
    var either = left
    either.sent |= right.sent
    either.came |= right.came
    either.connection |= right.connection
    either.device |= right.device
    return either
  }

  static let none: MatchNumbers = {
    var none = MatchNumbers()
    (none.sent, none.came, none.connection, none.device) = (0, 0, 0, 0)
    return none
  }()

  private static let byte: UInt64 = 0xFF
  private static let unknown: UInt64 = 0xFE

  private static func set(_ word: inout UInt64, to number: UInt64, bits: UInt64, at shift: UInt64) {
    word = word & ~(bits << shift) | (number & bits) << shift
  }

  mutating func set(_ environment: Environment) {
    Self.set(&sent, to: Self.number(of: environment), bits: Self.byte, at: 0)
  }

  mutating func set(_ priority: Priority) { Self.set(&sent, to: UInt64(priority.rawValue), bits: Self.byte, at: 8) }

  mutating func set(_ type: PushType) { Self.set(&sent, to: Self.number(of: type), bits: Self.byte, at: 16) }

  mutating func set(_ kind: TokenKind) { Self.set(&sent, to: Self.number(of: kind), bits: Self.byte, at: 24) }

  mutating func set(app: Int) { Self.set(&sent, to: UInt64(UInt16(truncatingIfNeeded: app)), bits: 0xFFFF, at: 32) }

  /// An app that the fleet does not have.
  static let unknownApp = 0xFFFE

  mutating func set(_ os: OSVersion) {
    Self.set(&sent, to: Self.number(ofVersion: os.major), bits: Self.byte, at: 48)
    Self.set(&sent, to: Self.number(ofVersion: os.minor), bits: Self.byte, at: 56)
  }

  mutating func set(_ os: OSPattern) {
    Self.set(&sent, to: Self.number(ofVersion: os.major), bits: Self.byte, at: 48)
    if let minor = os.minor { Self.set(&sent, to: Self.number(ofVersion: minor), bits: Self.byte, at: 56) }
  }

  mutating func set(status: Int) {
    Self.set(&came, to: (0..<0xFFFE).contains(status) ? UInt64(status) : 0xFFFE, bits: 0xFFFF, at: 0)
  }

  mutating func set(isOnline: Bool) { Self.set(&came, to: isOnline ? 1 : 0, bits: Self.byte, at: 16) }
  mutating func set(isLive: Bool) { Self.set(&came, to: isLive ? 1 : 0, bits: Self.byte, at: 24) }
  mutating func set(isFailed: Bool) { Self.set(&came, to: isFailed ? 1 : 0, bits: Self.byte, at: 32) }

  mutating func set(_ device: DeviceID) { self.device = UInt64(device.number) }

  /// For masks: ignores the bits of the minor version.
  mutating func ignoreMinorVersion() { sent &= ~(Self.byte << 56) }

  // MARK: - Numbers

  private static func number(ofVersion part: Int) -> UInt64 { (0..<0xFE).contains(part) ? UInt64(part) : unknown }

  private static func number(of environment: Environment) -> UInt64 {
    switch environment {
    case .sandbox: 0
    case .production: 1
    }
  }

  private static func number(of type: PushType) -> UInt64 {
    switch type {
    case .alert: 0
    case .background: 1
    case .location: 2
    case .voip: 3
    case .complication: 4
    case .fileprovider: 5
    case .mdm: 6
    case .liveactivity: 7
    case .pushtotalk: 8
    case .controls: 9
    case .widgets: 10
    }
  }

  private static func number(of kind: TokenKind) -> UInt64 {
    switch kind {
    case .device: 0
    case .pushToStart: 1
    case .update: 2
    case .service(let suffix): 16 + UInt64(suffix.rawValue)
    }
  }
}
