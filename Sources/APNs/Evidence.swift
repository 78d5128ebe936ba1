/// How we know a rule that imitates Apple or iOS; `docs/behavior/sources.md` lists all that is named.
///
/// A mock's worth is its truthfulness; every refusal can be asked why and answers with one of these.
package struct Evidence: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    /// Apple says so.
    case documented
    /// Developers saw it on the wire or on a phone.
    case observed
    /// Nobody knows; this is our choice, and a setting where it could matter.
    case assumed
    /// Sources contradict each other.
    case disputed
  }

  package let kind: Kind
  package let source: String

  package static func documented(_ source: String) -> Evidence { Evidence(kind: .documented, source: source) }
  package static func observed(_ source: String) -> Evidence { Evidence(kind: .observed, source: source) }
  package static func assumed(_ source: String) -> Evidence { Evidence(kind: .assumed, source: source) }
  package static func disputed(_ source: String) -> Evidence { Evidence(kind: .disputed, source: source) }

  /// The same, with the section of `docs/behavior` that says more, such as `tokens.md#eight-hours`.
  package func told(in section: String) -> Evidence {
    Evidence(kind: kind, source: "\(source) (docs/behavior/\(section))")
  }
}
