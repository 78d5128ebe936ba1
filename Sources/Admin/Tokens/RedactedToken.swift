import WireFormats

/// A provider token as the push log shows it: readable, but useless as a credential.
enum RedactedToken {
  /// The value of `authorization` without the signature after the second dot. A malformed bearer token is shown,
  /// because its flaw is of interest; of any other scheme, only the name is shown.
  static func cut(_ value: String) -> String {
    let dots = value.indices.filter { value[$0] == "." }
    if dots.count >= 2 { return value[...dots[1]] + "…" }
    if value.lowercased().hasPrefix("bearer ") { return value }
    return value.prefix { $0 != " " } + (value.contains(" ") ? " …" : "")
  }

  /// Header and claims, decoded; nil if they cannot be read.
  static func parts(of value: String) -> JSONValue? {
    let token = value.split(separator: " ").last ?? ""
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]) else { return nil }
    return ["header": header, "claims": claims]
  }

  private static func object(_ part: Substring.UTF8View) -> JSONValue? {
    guard let bytes = Base64URL.decode(part), let value = try? JSONValue.parse(bytes), value.members != nil else {
      return nil
    }
    return value
  }
}
