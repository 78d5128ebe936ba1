/// The part of DER (ITU-T X.690) that the extensions of push certificates need: strings, and lists of strings.
enum ObjectStrings {
  private static let utf8String: UInt8 = 0x0C
  private static let sequence: UInt8 = 0x30
  /// UTF8String, PrintableString and IA5String.
  private static let strings: Set<UInt8> = [utf8String, 0x13, 0x16]

  static func string(_ text: String) -> [UInt8] { value(utf8String, Array(text.utf8)) }

  static func list(_ values: [[UInt8]]) -> [UInt8] { value(sequence, values.flatMap(\.self)) }

  private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
      }
    return [tag] + length + content
  }

  /// The strings of a value: the value itself, or the strings in its list. Nested lists are ignored: in Apple's
  /// extension of topics, each contains the service of the topic before it (observed).
  ///
  /// - Returns: nil if the bytes are not DER.
  static func read(_ bytes: [UInt8]) -> [String]? {
    var rest = bytes[...]
    guard let outer = next(&rest), rest.isEmpty else { return nil }
    if strings.contains(outer.tag) { return String(validating: outer.content, as: UTF8.self).map { [$0] } }
    guard outer.tag == sequence else { return [] }
    var found: [String] = []
    var list = outer.content
    while !list.isEmpty {
      guard let item = next(&list) else { return nil }
      guard strings.contains(item.tag) else { continue }
      guard let text = String(validating: item.content, as: UTF8.self) else { return nil }
      found.append(text)
    }
    return found
  }

  /// Removes the next value from the bytes; nil if no complete value is left.
  private static func next(_ bytes: inout ArraySlice<UInt8>) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
    guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
    var count = Int(first)
    if first >= 0x80 {
      let digits = Int(first & 0x7F)
      guard (1...3).contains(digits), bytes.count >= digits else { return nil }
      count = bytes.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
      bytes = bytes.dropFirst(digits)
    }
    guard bytes.count >= count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return (tag, bytes.prefix(count))
  }
}
