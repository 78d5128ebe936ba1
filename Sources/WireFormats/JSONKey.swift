/// A member's name, prepared for looking it up in many documents.
package struct JSONKey: Hashable, Sendable {
  package let text: String
  let bytes: [UInt8]
  /// Whether only the very same bytes spell it; other letters may be written in several ways.
  let isASCII: Bool

  package init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
  }
}

extension JSONKey: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}
