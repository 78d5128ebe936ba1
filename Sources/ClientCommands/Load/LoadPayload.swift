import Grammar
import Pushpit
import Timeline
import WireFormats

/// The payload of a load run's pushes: equal in all of them, or with placeholders.
///
/// - `{{number}}`: the number of the push, counted from 0.
/// - `{{timestamp}}`: seconds since 1970 when it is sent, for `aps.timestamp` of Live Activities.
struct LoadPayload: Sendable {
  private enum Part: Sendable {
    case text([UInt8])
    case number
    case timestamp
  }

  private let parts: [Part]
  /// `aps.event` and `aps.content-state` of a Live Activity push.
  let event: String?
  let contentState: JSONValue?

  /// - Throws: `InputProblem` for an unknown placeholder, or a payload that is not JSON.
  init(_ given: [UInt8]?, _ kind: LoadKind) throws(InputProblem) {
    let text = given.map { String(decoding: $0, as: UTF8.self) } ?? kind.payload
    var parts: [Part] = []
    var rest = Substring(text)
    while let open = rest.firstRange(of: "{{") {
      parts.append(.text(Array(rest[..<open.lowerBound].utf8)))
      rest = rest[open.upperBound...]
      let name = rest.prefix { $0 != "}" }
      switch name {
      case "number": parts.append(.number)
      case "timestamp": parts.append(.timestamp)
      default:
        throw InputProblem(
          "--payload has the placeholder {{\(name.prefix(40))}}; the placeholders are {{number}} and {{timestamp}}.")
      }
      rest = rest.dropFirst(name.count + 2)
    }
    parts.append(.text(Array(rest.utf8)))
    self.parts = parts
    let first = Self.render(parts, number: 0, seconds: 0)
    guard let value = try? JSONValue.parse(first) else {
      throw InputProblem("--payload is not JSON once {{number}} and {{timestamp}} are replaced by numbers.")
    }
    event = value["aps"]?["event"]?.string
    contentState = value["aps"]?["content-state"]
  }

  /// The body of the push with a number.
  var body: @Sendable (UInt64) -> [UInt8] {
    if parts.count == 1 {
      let same = Self.render(parts, number: 0, seconds: 0)
      return { _ in same }
    }
    return { [parts] number in Self.render(parts, number: number, seconds: SystemClock.now.seconds) }
  }

  private static func render(_ parts: [Part], number: UInt64, seconds: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): bytes += text
      case .number: bytes += String(number).utf8
      case .timestamp: bytes += String(seconds).utf8
      }
    }
    return bytes
  }
}
