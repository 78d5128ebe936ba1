/// The evidence for a rule that imitates Apple or iOS. `docs/behavior/sources.md` lists all sources.
///
/// Every rejection can be explained with one of these.
package struct Evidence: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// Apple documents it.
    case documented
    /// Developers observed it on the wire or on a phone.
    case observed
    /// Unknown; this is our choice, configurable where it could matter.
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

  /// Returns this evidence with a link to a section of `docs/behavior`, such as `tokens.md#eight-hours`.
  package func told(in section: String) -> Evidence {
    Evidence(kind: kind, source: "\(source) (docs/behavior/\(section))")
  }
}
