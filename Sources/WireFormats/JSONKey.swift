/// A member name, prepared for lookups in many documents.
package struct JSONKey: Hashable, Sendable {
  package let text: String
  private let bytes: [UInt8]
  private let isASCII: Bool

  package init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
    isASCII = bytes.allSatisfy { $0 < 0x80 }
  }

  /// The view is valid only within `body`.
  package func withView<Result>(_ body: (JSONKeyView) -> Result) -> Result {
    bytes.withUnsafeBufferPointer { body(JSONKeyView($0, isASCII: isASCII)) }
  }
}

extension JSONKey: ExpressibleByStringLiteral {
  package init(stringLiteral text: String) { self.init(text) }
}

/// A member name in borrowed memory, valid only as long as that memory.
package struct JSONKeyView {
  let bytes: UnsafeBufferPointer<UInt8>
  /// True if only identical bytes are an equal string. Characters beyond ASCII may be written in several ways.
  let isASCII: Bool

  package init(_ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool) {
    self.bytes = bytes
    self.isASCII = isASCII
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
