import CNghttp2

/// The rules of HTTP for the fields and the length of a request (RFC 9113 section 8, RFC 9110 section 8.6), as nghttp2
/// enforces them, with one exception: a `:path` may contain any character that is valid in a field value.
///
/// nghttp2 resets such a stream, but APNs answers it, for example a device token that contains a space. Observed: 400
/// BadDeviceToken (node-apn issue 568).
///
/// nghttp2 cannot skip a single rule, so it is told to skip all of them, and we check them here.
struct RequestRules {
  private struct Seen: OptionSet {
    let rawValue: UInt16
    static let method = Seen(rawValue: 1)
    static let scheme = Seen(rawValue: 2)
    static let path = Seen(rawValue: 4)
    static let authority = Seen(rawValue: 8)
    static let host = Seen(rawValue: 16)
    /// An ordinary field: all pseudo-headers come before these.
    static let ordinary = Seen(rawValue: 32)
    static let connect = Seen(rawValue: 64)
    static let options = Seen(rawValue: 128)
    static let webScheme = Seen(rawValue: 256)
    static let slashPath = Seen(rawValue: 512)
    static let starPath = Seen(rawValue: 1024)
  }

  private var seen: Seen = []
  private var contentLength: Int64 = -1
  private var received: Int64 = 0

  /// Checks one field of a request or of its trailers, in the order of arrival.
  ///
  /// - Returns: what is wrong with it.
  mutating func check(
    _ name: UnsafePointer<UInt8>, nameCount: Int, value: UnsafePointer<UInt8>, valueCount: Int
  ) -> StaticString? {
    guard nameCount > 0, name[0] == UInt8(ascii: ":") else {
      return judgeOrdinary(UnsafeBufferPointer(start: name, count: nameCount), value: value, valueCount: valueCount)
    }
    guard !seen.contains(.ordinary) else { return "a pseudo-header follows an ordinary field" }
    let name = UnsafeBufferPointer(start: name, count: nameCount)
    let value = UnsafeBufferPointer(start: value, count: valueCount)
    switch nameCount {
    case 5 where Self.equal(name, ":path"):
      guard Self.isValue(value) else {
        return "`:path` contains a control character"
      }
      if valueCount > 0, value[0] == UInt8(ascii: "/") { seen.insert(.slashPath) }
      if valueCount == 1, value[0] == UInt8(ascii: "*") { seen.insert(.starPath) }
      return once(.path, valueCount: valueCount, sentence: "`:path` is empty or repeated")
    case 7 where Self.equal(name, ":method"):
      guard nghttp2_check_method(value.baseAddress, valueCount) != 0 else { return "`:method` is not a valid method" }
      if Self.equal(value, "CONNECT") { seen.insert(.connect) }
      if Self.equal(value, "OPTIONS") { seen.insert(.options) }
      return once(.method, valueCount: valueCount, sentence: "`:method` is empty or repeated")
    case 7 where Self.equal(name, ":scheme"):
      if Self.equalIgnoringCase(value, "https") || Self.equalIgnoringCase(value, "http") {
        seen.insert(.webScheme)
      } else if !Self.isScheme(value) {
        return "`:scheme` is not a valid scheme"
      }
      return once(.scheme, valueCount: valueCount, sentence: "`:scheme` is empty or repeated")
    case 10 where Self.equal(name, ":authority"):
      guard nghttp2_check_authority(value.baseAddress, valueCount) != 0 else {
        return "`:authority` contains an invalid character"
      }
      return once(.authority, valueCount: valueCount, sentence: "`:authority` is empty or repeated")
    default: return "an unknown pseudo-header"
    }
  }

  private mutating func judgeOrdinary(
    _ name: UnsafeBufferPointer<UInt8>, value: UnsafePointer<UInt8>, valueCount: Int
  ) -> StaticString? {
    guard Self.isName(name) else {
      let capital = name.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      seen.insert(.ordinary)
      return capital ? "a field name contains a capital letter" : "a field name contains an invalid character"
    }
    let value = UnsafeBufferPointer(start: value, count: valueCount)
    let isHost = name.count == 4 && Self.equal(name, "host")
    let isSound =
      isHost
      ? nghttp2_check_authority(value.baseAddress, valueCount) != 0
      : Self.isValue(value)
    seen.insert(.ordinary)
    guard isSound else { return "a field value contains an invalid character" }
    switch name.count {
    case 4 where isHost: return once(.host, valueCount: valueCount, sentence: "`host` is empty or repeated")
    case 2 where Self.equal(name, "te") && !Self.equalIgnoringCase(value, "trailers"):
      return "the value of `te` is not trailers"
    case 14 where Self.equal(name, "content-length"):
      guard contentLength < 0, let length = Self.number(value) else {
        return "`content-length` is not a number or is repeated"
      }
      contentLength = length
      return nil
    case 7 where Self.equal(name, "upgrade"), 10 where Self.equal(name, "connection"),
      10 where Self.equal(name, "keep-alive"), 16 where Self.equal(name, "proxy-connection"),
      17 where Self.equal(name, "transfer-encoding"):
      return "a connection-specific field, which is not valid in HTTP/2"
    default: return nil
    }
  }

  private mutating func once(_ part: Seen, valueCount: Int, sentence: StaticString) -> StaticString? {
    guard valueCount > 0, seen.insert(part).inserted else { return sentence }
    return nil
  }

  /// The fields are complete.
  ///
  /// - Returns: what is wrong with their combination.
  mutating func judgeWhole() -> StaticString? {
    // Only trailers can follow.
    seen.insert(.ordinary)
    if seen.contains(.connect) {
      contentLength = -1
      return seen.isDisjoint(with: [.scheme, .path]) && seen.contains(.authority)
        ? nil : "CONNECT needs `:authority` and must have neither `:scheme` nor `:path`"
    }
    guard seen.isSuperset(of: [.method, .scheme, .path]) else {
      return "`:method`, `:scheme` or `:path` is missing"
    }
    guard !seen.isDisjoint(with: [.authority, .host]) else { return "`:authority` and `host` are missing" }
    let isPath = seen.contains(.slashPath) || seen.isSuperset(of: [.options, .starPath])
    return isPath || !seen.contains(.webScheme) ? nil : "`:path` does not begin with /"
  }

  mutating func judgeBody(_ more: Int) -> StaticString? {
    received += Int64(more)
    return contentLength >= 0 && received > contentLength ? "the body is longer than `content-length`" : nil
  }

  func judgeEnd() -> StaticString? {
    contentLength >= 0 && received != contentLength ? "the body is shorter than `content-length`" : nil
  }

  // MARK: Texts

  /// `nghttp2_check_header_value` checks one byte at a time; a push has 500 bytes of values, and control characters are
  /// rare. So it is called only for short values and for values with a control character.
  static func isValue(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress else { return nghttp2_check_header_value(nil, 0) != 0 }
    let bytes = UnsafeRawBufferPointer(text)
    var place = 0
    if bytes.count >= 16 {
      // The last sixteen bytes overlap with those before them.
      let last = bytes.count &- 16
      while place < last, !hasControl(bytes, at: place) { place &+= 16 }
      if place >= last, !hasControl(bytes, at: last) { return true }
    }
    return nghttp2_check_header_value(base, bytes.count) != 0
  }

  /// `nghttp2_check_header_name` checks one byte at a time; nearly all names have only lower-case letters and hyphens.
  /// So it is called only for short and long names, and for names with another character.
  static func isName(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if text.count >= 8, text.count <= 16, let base = text.baseAddress {
      let bytes = UnsafeRawPointer(base)
      // The last eight bytes overlap with the first.
      let first = bytes.loadUnaligned(as: UInt64.self)
      let last = bytes.loadUnaligned(fromByteOffset: text.count &- 8, as: UInt64.self)
      if others(first) | others(last) == 0 { return true }
    }
    return nghttp2_check_header_name(text.baseAddress, text.count) != 0
  }

  /// Nonzero unless all of eight bytes are lower-case letters or hyphens.
  @inline(__always)
  private static func others(_ word: UInt64) -> UInt64 {
    let high: UInt64 = 0x8080_8080_8080_8080
    // A hyphen becomes a lower-case letter; then the highest bit of each byte is set below "a", and above "z".
    let letters = word | zeroBytes(word ^ 0x2D2D_2D2D_2D2D_2D2D) >> 1
    let isBelow = (letters | high) &- 0x6161_6161_6161_6161
    let isAbove = (letters & ~high) &+ 0x0505_0505_0505_0505
    return (~isBelow | isAbove | letters) & high
  }

  /// The highest bit of each byte that is zero.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~((word & low) &+ low | word | low)
  }

  /// True if one of sixteen bytes is a control character.
  @inline(__always)
  private static func hasControl(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Bool {
    let first = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    let second = bytes.loadUnaligned(fromByteOffset: place &+ 8, as: UInt64.self)
    return controls(first) | controls(second) != 0
  }

  /// Inlined, so that the length is a constant at the call site: a few words are compared, the last two overlapping.
  @inline(__always)
  private static func equal(_ text: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
    let count = other.utf8CodeUnitCount
    guard text.count == count, let base = text.baseAddress else { return count == 0 && text.isEmpty }
    let (mine, theirs) = (UnsafeRawPointer(base), UnsafeRawPointer(other.utf8Start))
    if count >= 8 {
      var place = 0
      while place < count {
        let at = min(place, count &- 8)
        guard
          mine.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            == theirs.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        else { return false }
        place &+= 8
      }
      return true
    }
    if count >= 4 {
      return mine.loadUnaligned(as: UInt32.self) == theirs.loadUnaligned(as: UInt32.self)
        && mine.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
          == theirs.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
    }
    for index in 0..<count where text[index] != other.utf8Start[index] { return false }
    return true
  }

  private static func equalIgnoringCase(_ text: UnsafeBufferPointer<UInt8>, _ other: StaticString) -> Bool {
    guard text.count == other.utf8CodeUnitCount else { return false }
    for index in 0..<text.count where text[index] | 0x20 != other.utf8Start[index] { return false }
    return true
  }

  /// Nonzero if one of eight bytes is a control character: below a space, or DEL.
  @inline(__always)
  private static func controls(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    let belowSpace = word &- 0x2020_2020_2020_2020
    let delete = (word & low) &+ 0x0101_0101_0101_0101
    return (belowSpace | delete) & ~word & ~low
  }

  /// RFC 3986 section 3.1.
  private static func isScheme(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = text.first, isLetter(first) else { return false }
    return text.allSatisfy {
      isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: ".")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  private static func number(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard !text.isEmpty else { return nil }
    var number: Int64 = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      let (tens, tooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, tooLargeNow) = tens.addingReportingOverflow(Int64(byte - 0x30))
      guard !tooLarge, !tooLargeNow else { return nil }
      number = sum
    }
    return number
  }
}
