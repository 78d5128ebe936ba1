import APNs

/// The texts that `URL(string:)` accepts.
extension ContentText {
  /// Observed: since iOS 17 Foundation percent-encodes invalid characters in path, query, fragment and user. Only an
  /// empty text and errors in scheme, host or port are rejected.
  ///
  /// Assumed: a host with non-ASCII letters has an IDNA form; checking that needs tables of Unicode.
  static func isURL(_ text: Bytes) -> Bool {
    guard !text.isEmpty else { return false }
    let scheme = schemeLength(text)
    if let scheme, !isScheme(text[..<scheme]) { return false }
    let rest = text[(scheme.map { $0 + 1 } ?? 0)...]
    guard rest.prefix(2).count == 2, rest.prefix(2).allSatisfy({ $0 == UInt8(ascii: "/") }) else { return true }
    let authority = rest.dropFirst(2).prefix { !isOneOf("/?#", $0) }
    return isAuthority(authority, ofScheme: text[..<(scheme ?? 0)])
  }

  /// The length of the scheme, up to its colon. After a `[`, `]` or `@`, the colon belongs to a port.
  private static func schemeLength(_ text: Bytes) -> Int? {
    guard let end = text.firstIndex(where: { isOneOf(":/?#[]@", $0) }) else { return nil }
    return end > 0 && text[end] == UInt8(ascii: ":") ? end : nil
  }

  private static func isScheme(_ text: Slice<Bytes>) -> Bool {
    guard let first = text.first, isLetter(first) else { return false }
    return text.allSatisfy { isLetter($0) || isDigit($0) || isOneOf("+-.", $0) }
  }

  private static func isAuthority(_ text: Slice<Bytes>, ofScheme scheme: Slice<Bytes>) -> Bool {
    var rest = text
    if let at = text.lastIndex(of: UInt8(ascii: "@")) { rest = text[(at + 1)...] }
    var host = rest
    if rest.first == UInt8(ascii: "["), let bracket = rest.firstIndex(of: UInt8(ascii: "]")) {
      host = rest[...bracket]
      rest = rest[(bracket + 1)...]
      guard rest.isEmpty || rest.first == UInt8(ascii: ":"), isLiteral(host.dropFirst().dropLast()) else {
        return false
      }
    } else {
      host = rest.prefix { $0 != UInt8(ascii: ":") }
      rest = rest[host.endIndex...]
      guard isHost(host) || encodesHost(scheme) else { return false }
    }
    return rest.dropFirst().allSatisfy(isDigit) || isSame(scheme, "addressbook")
  }

  /// An address in brackets; a zone after `%` is encoded, whatever it contains.
  private static func isLiteral(_ text: Slice<Bytes>) -> Bool {
    text.prefix { $0 != UInt8(ascii: "%") }.allSatisfy { isHostLetter($0) || $0 == UInt8(ascii: ":") }
  }

  private static func isHost(_ text: Slice<Bytes>) -> Bool {
    var rest = text
    while let letter = rest.popFirst() {
      if letter == UInt8(ascii: "%") {
        guard rest.count >= 2, rest.prefix(2).allSatisfy(isHexDigit) else { return false }
        rest = rest.dropFirst(2)
      } else if letter < 0x80, !isHostLetter(letter) {
        return false
      }
    }
    return true
  }

  private static func isHostLetter(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || isOneOf("-._~!$&'()*+,;=", byte)
  }

  private static func isOneOf(_ letters: StaticString, _ byte: UInt8) -> Bool {
    for index in 0..<letters.utf8CodeUnitCount where letters.utf8Start[index] == byte { return true }
    return false
  }

  /// Schemes with a percent-encoded host.
  private static func encodesHost(_ scheme: Slice<Bytes>) -> Bool {
    let schemes: InlineArray<13, StaticString> = [
      "tel", "telemergencycall", "telprompt", "callto", "facetime", "facetime-prompt", "facetime-audio",
      "facetime-audio-prompt", "imap", "pop", "addressbook", "contact", "phasset",
    ]
    for index in schemes.indices where isSame(scheme, schemes[index]) { return true }
    return false
  }

  private static func isSame(_ scheme: Slice<Bytes>, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { name in scheme.elementsEqual(name) { $0 == $1 || isLetter($0) && $0 | 0x20 == $1 } }
  }
}
