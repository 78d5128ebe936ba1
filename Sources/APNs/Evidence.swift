/// How we know a rule that imitates Apple or iOS.
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
  }

  package let kind: Kind
  package let source: String

  package static func documented(_ source: String) -> Evidence { Evidence(kind: .documented, source: source) }
  package static func observed(_ source: String) -> Evidence { Evidence(kind: .observed, source: source) }
  package static func assumed(_ source: String) -> Evidence { Evidence(kind: .assumed, source: source) }
}
