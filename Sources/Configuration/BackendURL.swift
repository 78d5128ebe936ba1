/// The URL of a backend that apps or Pushpit call.
package enum BackendURL {
  /// True if a text is an http or https URL with a host, and a port from 1 to 65535 if it has one.
  package static func isValid(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix),
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
    else { return false }
    let authority = text.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    guard place.hasPrefix("[") else {
      guard let colon = place.firstIndex(of: ":") else { return isHost(place) }
      return isHost(place[..<colon]) && isPort(place[place.index(after: colon)...])
    }
    guard let close = place.firstIndex(of: "]") else { return false }
    let address = place[..<close].dropFirst()
    let rest = place[place.index(after: close)...]
    return address.contains(":") && address.allSatisfy { $0.isHexDigit || ":.".contains($0) }
      && (rest.isEmpty || rest.hasPrefix(":") && isPort(rest.dropFirst()))
  }

  private static func isHost(_ text: Substring) -> Bool {
    !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || "-._~%".contains($0) }
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(text).map { $0 > 0 } ?? false
  }
}
