/// How we know what a default imitates.
public struct Grounds: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    /// Apple says so.
    case documented = "Documented"
    /// Developers saw it on the wire or on a phone.
    case observed = "Observed"
    /// Nobody knows; it is our choice.
    case assumed = "Assumed"
    /// Sources contradict each other.
    case disputed = "Disputed"
  }

  public let kind: Kind
  public let source: String

  public var text: String { "\(kind.rawValue): \(source)" }

  static func documented(_ source: String) -> Grounds { Grounds(kind: .documented, source: source) }
  static func observed(_ source: String) -> Grounds { Grounds(kind: .observed, source: source) }
  static func assumed(_ source: String) -> Grounds { Grounds(kind: .assumed, source: source) }
  static func disputed(_ source: String) -> Grounds { Grounds(kind: .disputed, source: source) }
}
