/// A JSON value that can be kept and written. Objects keep the order of their members.
///
/// The order matters for output: the same state must give the same bytes, which a `Dictionary` does not guarantee.
package enum JSONValue: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package let key: String
    package let value: JSONValue

    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  case null
  case bool(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  package static func parse(_ bytes: [UInt8]) throws(JSONProblem) -> JSONValue {
    try JSONNode.read(bytes) { $0.whole }
  }

  /// The last member of that name.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  package var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }

  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  package var truth: Bool? {
    if case .bool(let truth) = self { truth } else { nil }
  }

  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// Compact JSON text.
  package var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Length of the text in bytes, or `limit` + 1 if it is longer. Something much longer is not written for that.
  package func size(upTo limit: Int) -> Int {
    var room = limit
    return subtractLeast(from: &room) ? min(text.utf8.count, limit + 1) : limit + 1
  }

  /// Subtracts the least number of bytes that the text can have. False if that is more than there are.
  private func subtractLeast(from room: inout Int) -> Bool {
    switch self {
    case .null, .bool, .integer, .double: room -= 1
    case .string(let text): room -= text.utf8.count
    case .array(let elements):
      room -= elements.count
      for element in elements where room >= 0 { _ = element.subtractLeast(from: &room) }
    case .object(let members):
      room -= members.count
      for member in members where room >= 0 {
        room -= member.key.utf8.count
        _ = member.value.subtractLeast(from: &room)
      }
    }
    return room >= 0
  }

  package func write(to text: inout String) { text += self.text }

  /// Writes compact JSON. Bytes, because appending to a string costs several times as much.
  package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: Self.append("null", to: &bytes)
    case .bool(let value): Self.append(value ? "true" : "false", to: &bytes)
    case .integer(let value): Self.append(value, to: &bytes)
    case .double(let value): bytes.append(contentsOf: (value.isFinite ? "\(value)" : "null").utf8)
    case .string(let value): Self.write(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for index in elements.indices {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        elements[index].write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for index in members.indices {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(members[index].key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        members[index].value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  static func append(_ word: StaticString, to bytes: inout [UInt8]) {
    word.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  static func append(_ number: Int64, to bytes: inout [UInt8]) {
    guard number >= 0 else { return bytes.append(contentsOf: String(number).utf8) }
    guard number > 9 else { return bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number)) }
    let start = bytes.count
    var rest = number
    while rest > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    }
    bytes[start...].reverse()
  }

  static func write(_ string: String, to bytes: inout [UInt8]) {
    var string = string
    bytes.append(UInt8(ascii: "\""))
    string.withUTF8 { text in
      // A run without escapes is appended in one piece.
      var start = 0
      for place in text.indices {
        let byte = text[place]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<place]))
        bytes.append(contentsOf: escape(byte).utf8)
        start = place + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "\""): return "\\\""
    case UInt8(ascii: "\\"): return "\\\\"
    case UInt8(ascii: "\n"): return "\\n"
    case UInt8(ascii: "\r"): return "\\r"
    case UInt8(ascii: "\t"): return "\\t"
    default:
      let digits = String(byte, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
  package init(nilLiteral: ()) { self = .null }

  /// A string, or null.
  package init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }
  package init(_ number: Int) { self = .integer(Int64(number)) }
}
