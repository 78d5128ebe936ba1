/// The first byte at which a text is not one JSON document (RFC 8259), and what is expected there.
///
/// Slower than `JSONNode.read`, which only reports that a text is unreadable: for sentences about rejected texts.
package struct JSONFault: Error, Hashable, Sendable {
  /// The number of the byte, from 1.
  package let byte: Int
  package let problem: String

  package var sentence: String { "byte \(byte): \(problem)" }

  /// Nil if the bytes are a JSON document.
  package init?(_ bytes: ArraySlice<UInt8>) {
    var reader = JSONFaultFinder(bytes)
    do throws(JSONFault) {
      try reader.readDocument()
      return nil
    } catch {
      self = error
    }
  }

  /// The reason why a text is no JSON object.
  package static func sentence(ofNoObject bytes: ArraySlice<UInt8>) -> String {
    JSONFault(bytes)?.sentence ?? "it is JSON, but no object"
  }

  init(_ byte: Int, _ problem: String) {
    self.byte = byte
    self.problem = problem
  }
}

/// A reader of JSON that stops at the first fault. It has no recursion: nesting is a stack.
private struct JSONFaultFinder {
  private enum Container {
    case array
    case object

    var end: UInt8 { UInt8(ascii: self == .array ? "]" : "}") }
    var afterValue: String { self == .array ? "a comma or ]" : "a comma or }" }
  }

  /// The characters or words that are valid here.
  private enum Place {
    case value
    case valueOrEnd
    case name
    case nameOrEnd
    case colon
    case afterValue

    var expectation: String {
      switch self {
      case .value: "a value"
      case .valueOrEnd: "a value or ]"
      case .name: "a name in double quotes"
      case .nameOrEnd: "a name in double quotes or }"
      case .colon: "a colon"
      case .afterValue: "the end of the text"
      }
    }
  }

  /// `JSONNode.read` stops at this depth too.
  private static let deepest = 512

  private let bytes: ArraySlice<UInt8>
  private var index: Int
  private var open: [Container] = []
  private var place = Place.value

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    index = bytes.startIndex
  }

  private var next: UInt8? { index < bytes.endIndex ? bytes[index] : nil }

  mutating func readDocument() throws(JSONFault) {
    try checkOrderMark()
    while true {
      while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
      guard let byte = next else {
        guard place == .afterValue, open.isEmpty else { throw fault("the text ends, but \(expectation) is expected") }
        return
      }
      try read(byte)
    }
  }

  private mutating func checkOrderMark() throws(JSONFault) {
    let start = Array(bytes.prefix(3))
    if start == [0xEF, 0xBB, 0xBF] { throw fault("a byte order mark, which JSON does not allow") }
    if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(start.prefix(2))) {
      throw fault("a byte order mark of UTF-16; JSON must be UTF-8")
    }
  }

  private var expectation: String {
    if place == .afterValue, let container = open.last { return container.afterValue }
    return place.expectation
  }

  private mutating func read(_ byte: UInt8) throws(JSONFault) {
    switch (place, byte) {
    case (.value, _), (.valueOrEnd, _):
      if place == .valueOrEnd, byte == UInt8(ascii: "]") { return close() }
      try readValue(byte)
    case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")):
      try readString()
      place = .colon
    case (.nameOrEnd, UInt8(ascii: "}")): close()
    case (.colon, UInt8(ascii: ":")):
      index += 1
      place = .value
    case (.afterValue, UInt8(ascii: ",")) where !open.isEmpty:
      index += 1
      place = open.last == .array ? .value : .name
    case (.afterValue, _) where byte == open.last?.end: close()
    default: throw fault("\(name(of: byte)), but \(expectation) is expected")
    }
  }

  private mutating func close() {
    index += 1
    open.removeLast()
    place = .afterValue
  }

  private mutating func readValue(_ byte: UInt8) throws(JSONFault) {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      open.append(byte == UInt8(ascii: "[") ? .array : .object)
      guard open.count <= Self.deepest else { throw fault("nested deeper than \(Self.deepest) levels") }
      place = byte == UInt8(ascii: "[") ? .valueOrEnd : .nameOrEnd
      index += 1
      return
    case UInt8(ascii: "\""): try readString()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try readNumber()
    default: try readWord(byte)
    }
    place = .afterValue
  }

  private mutating func readWord(_ byte: UInt8) throws(JSONFault) {
    for word in ["true", "false", "null"] where bytes[index...].starts(with: word.utf8) {
      let rest = bytes[(index + word.utf8.count)...].first
      guard rest.map({ !Self.isLetter($0) && !Self.isDigit($0) }) ?? true else { break }
      index += word.utf8.count
      return
    }
    throw fault("\(name(of: byte)), but \(expectation) is expected")
  }

  private mutating func readNumber() throws(JSONFault) {
    let start = index
    if next == UInt8(ascii: "-") { index += 1 }
    let first = next
    let whole = try readDigits()
    if first == UInt8(ascii: "0"), whole > 1 {
      index = start
      throw fault("a number that begins with 0")
    }
    if next == UInt8(ascii: ".") {
      index += 1
      _ = try readDigits()
    }
    guard next.map({ $0 | 0x20 }) == UInt8(ascii: "e") else { return }
    index += 1
    if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { index += 1 }
    _ = try readDigits()
  }

  private mutating func readDigits() throws(JSONFault) -> Int {
    let start = index
    while let byte = next, Self.isDigit(byte) { index += 1 }
    guard index > start else { throw fault("\(nameOfNext), but a digit is expected") }
    return index - start
  }

  private mutating func readString() throws(JSONFault) {
    index += 1
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        index += 1
        return
      case UInt8(ascii: "\\"): try readEscape()
      case 0..<0x20: throw fault("\(name(of: byte)), which a string must escape")
      case 0..<0x80: index += 1
      default: try readCharacter(byte)
      }
    }
    throw fault("the text ends within a string")
  }

  private mutating func readEscape() throws(JSONFault) {
    let start = index
    index += 1
    guard let letter = next else { throw fault("the text ends within a string") }
    guard letter == UInt8(ascii: "u") else {
      guard "\"\\/bfnrt".utf8.contains(letter) else { throw fault("\(name(of: letter)) after a backslash") }
      index += 1
      return
    }
    let unit = try readUnit()
    guard (0xD800...0xDFFF).contains(unit) else { return }
    if unit < 0xDC00, bytes[index...].starts(with: #"\u"#.utf8) {
      index += 1
      if (0xDC00...0xDFFF).contains(try readUnit()) { return }
    }
    index = start
    throw fault(
      #"\u\#(String(unit, radix: 16)) is half of a surrogate pair; a text was cut between its UTF-16 units"#)
  }

  /// Reads the letter `u` and four hexadecimal digits.
  private mutating func readUnit() throws(JSONFault) -> UInt32 {
    var unit: UInt32 = 0
    index += 1
    for _ in 0..<4 {
      guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
        throw fault("\(nameOfNext), but a hexadecimal digit is expected")
      }
      unit = unit << 4 | UInt32(digit)
      index += 1
    }
    return unit
  }

  /// Reads a character beyond ASCII.
  private mutating func readCharacter(_ lead: UInt8) throws(JSONFault) {
    let count = Self.length(of: lead)
    guard count > 1 else {
      throw fault("\(Self.hex(lead)) is not UTF-8; it may be Latin-1 or another encoding")
    }
    let found = bytes[index...].prefix(count)
    let rest = found.dropFirst().prefix { $0 & 0xC0 == 0x80 }
    guard rest.count == count - 1 else {
      throw fault(
        "not UTF-8: a character of \(count) bytes ends after \(rest.count + 1); a text was cut by bytes,"
          + " or has another encoding such as Latin-1")
    }
    guard String(validating: found, as: UTF8.self) != nil else {
      throw fault("\(found.map(Self.hex).joined(separator: " ")) is not UTF-8")
    }
    index += count
  }

  private func fault(_ problem: String) -> JSONFault { JSONFault(index - bytes.startIndex + 1, problem) }

  private var nameOfNext: String { next.map { name(of: $0) } ?? "the text ends" }

  /// The character at the current place; its byte if it cannot be shown.
  private func name(of byte: UInt8) -> String {
    if (0x21..<0x7F).contains(byte) { return String(Unicode.Scalar(byte)) }
    let found = bytes[index...].prefix(max(1, Self.length(of: byte)))
    guard byte >= 0x80, let text = String(validating: found, as: UTF8.self), text.unicodeScalars.count == 1 else {
      return Self.hex(byte)
    }
    return text
  }

  /// Bytes of the UTF-8 character that begins with this byte; 1 if none does.
  private static func length(of lead: UInt8) -> Int {
    switch lead {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    "0x" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
}
