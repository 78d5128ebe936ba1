/// A piece of HTML. A literal is markup, and every text put into it is escaped.
struct Markup: ExpressibleByStringInterpolation, Sendable {
  private(set) var text: String

  init(stringLiteral text: String) { self.text = text }

  /// Numbers and letters made here, such as the path of a curve.
  init(verbatim text: String) { self.text = text }

  init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  init(_ parts: [Markup]) { text = parts.map(\.text).joined() }

  static func + (left: Markup, right: Markup) -> Markup { Markup([left, right]) }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(2 * literalCapacity) }

    mutating func appendLiteral(_ literal: String) { text += literal }
    mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
    mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }
    mutating func appendInterpolation(_ number: some BinaryInteger) { text += "\(number)" }
    mutating func appendInterpolation(_ words: String) { text += Markup.escaped(words) }
  }

  /// The longest text that is shown: a client can send any collapse id, and a scenario any name.
  private static let longest = 2000

  /// As text of an element or of an attribute in quotes. Control characters, which HTML does not allow, and characters
  /// that change the direction of writing are shown as U+FFFD.
  static func escaped(_ words: String) -> String {
    var text = ""
    for (count, scalar) in words.unicodeScalars.enumerated() {
      guard count < longest else { return text + "…" }
      switch scalar.value {
      case 0x26: text += "&amp;"
      case 0x3C: text += "&lt;"
      case 0x3E: text += "&gt;"
      case 0x22: text += "&quot;"
      case 0x27: text += "&#39;"
      case 0x09, 0x0A: text += " "
      case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: text += "\u{FFFD}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
