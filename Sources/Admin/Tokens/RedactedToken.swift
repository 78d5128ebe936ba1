import Grammar
import WireFormats

/// A provider token as the push log shows it: readable, but useless as a credential.
struct RedactedToken {
  static let shape = Shape<RedactedToken>(members: [
    .init("header", .object, meaning: "`alg`, `kid` and all other members that were sent.") { $0.header },
    .init("claims", .object, meaning: "`iss`, `iat` and all other members that were sent.") { $0.claims },
  ])

  private let header: JSONValue
  private let claims: JSONValue

  /// The value of `authorization` without the signature after the second dot. A malformed bearer token is shown,
  /// because its flaw is of interest; of any other scheme, only the name is shown.
  static func cut(_ value: String) -> String {
    let dots = value.indices.filter { value[$0] == "." }
    if dots.count >= 2 { return value[...dots[1]] + "…" }
    if value.lowercased().hasPrefix("bearer ") { return value }
    return value.prefix { $0 != " " } + (value.contains(" ") ? " …" : "")
  }

  /// Decodes header and claims; nil if they cannot be read.
  init?(_ value: String) {
    let token = value.split(separator: " ").last ?? ""
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]) else {
      return nil
    }
    (self.header, self.claims) = (header, claims)
  }

  private static func object(_ part: Substring.UTF8View) -> JSONValue? {
    guard let bytes = Base64URL.decode(part), let value = try? JSONValue.parse(bytes), value.members != nil else {
      return nil
    }
    return value
  }
}
