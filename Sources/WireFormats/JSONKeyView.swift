/// A member's name that lies in somebody's memory and is good as long as that.
package struct JSONKeyView {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Whether only the very same bytes spell it; other letters may be written in several ways.
  let isASCII: Bool

  package init(_ bytes: UnsafeBufferPointer<UInt8>, isASCII: Bool) {
    self.bytes = bytes
    self.isASCII = isASCII
  }

  package var text: String { String(decoding: bytes, as: UTF8.self) }
}
