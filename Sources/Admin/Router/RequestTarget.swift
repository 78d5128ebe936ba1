import WireFormats

/// A decoded request target: the segments of its path and its query items.
struct RequestTarget {
  /// The path as written, for messages.
  let path: String
  /// `/v1/devices/d1` is v1, devices, d1; `/` has no segments.
  let segments: [String]
  let query: [(name: String, value: String)]

  init(_ text: String) throws(AdminProblem) {
    let relative = Self.withoutAuthority(text)
    guard relative.utf8.first == UInt8(ascii: "/") else {
      throw AdminProblem(400, "A request target must begin with a slash, such as /v1/devices.")
    }
    let parts = relative.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0]
    self.path = String(decoding: path, as: UTF8.self)
    var segments: [String] = []
    if path.count > 1 {
      for segment in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        segments.append(try Self.decode(Array(segment), plusIsSpace: false))
      }
    }
    self.segments = segments
    query = parts.count > 1 ? try Self.pairs(Array(parts[1])) : []
  }

  /// A proxy may send the absolute form (RFC 9112 section 3.2.2).
  private static func withoutAuthority(_ text: String) -> String {
    guard let authority = authority(of: text) else { return text }
    let rest = text.dropFirst(scheme.count + authority.count)
    return rest.hasPrefix("/") ? String(rest) : "/" + rest
  }

  private static let scheme = "http://"

  /// The authority of an absolute form; nil for a path.
  static func authority(of text: String) -> String? {
    guard text.lowercased().hasPrefix(scheme) else { return nil }
    return String(text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" })
  }

  private static func pairs(_ text: [UInt8]) throws(AdminProblem) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for pair in text.split(separator: UInt8(ascii: "&")) {
      let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      let name = try decode(Array(halves[0]), plusIsSpace: true)
      let value = try decode(halves.count > 1 ? Array(halves[1]) : [], plusIsSpace: true)
      pairs.append((name, value))
    }
    return pairs
  }

  private static func decode(_ text: [UInt8], plusIsSpace: Bool) throws(AdminProblem) -> String {
    var bytes: [UInt8] = []
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "%") else {
        bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        continue
      }
      let digits = String(decoding: text[index..<min(index + 2, text.count)], as: UTF8.self)
      guard digits.utf8.count == 2, let decoded = Hex.decode(digits) else {
        throw AdminProblem(
          400, "Each % in a request target must be followed by two hexadecimal digits; a percent sign itself is %25.")
      }
      bytes += decoded
      index += 2
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw AdminProblem(400, "The percent-encoded bytes of the request target are not UTF-8.")
    }
    return decoded
  }
}
