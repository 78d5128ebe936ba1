import APNs
import Timeline
import WireFormats

/// A text with placeholders: `{{time.unix + 5m}}`, `{{n}}`.
package struct ScenarioText: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case words(String)
    case value(Value)
  }

  enum Value: Hashable, Sendable {
    /// Seconds since 1970, plus or minus a duration.
    case unix(Duration)
    case milliseconds(Duration)
    case iso(Duration)
    /// The number of the repetition, from 1.
    case round
    case device
    /// The id of a channel, by its name in the scenario.
    case channel(String)
  }

  /// The values of placeholders at a moment.
  package struct Moment: Sendable {
    package let now: Instant
    package let round: Int
    package var device = ""
    /// The ids of channels, by their names in the scenario.
    package var channels: [String: String] = [:]

    package init(now: Instant, round: Int) {
      self.now = now
      self.round = round
    }
  }

  private static let names = ["time.unix", "time.milliseconds", "time.iso", "n", "device", "channel.NAME"]
  private static let channelPrefix = "channel."

  private let pieces: [Piece]

  package init(_ text: String) throws(ScenarioTextProblem) {
    var pieces: [Piece] = []
    var rest = text[...]
    while let open = rest.firstRange(of: "{{") {
      if open.lowerBound > rest.startIndex { pieces.append(.words(String(rest[..<open.lowerBound]))) }
      rest = rest[open.upperBound...]
      guard let close = rest.firstRange(of: "}}") else {
        throw ScenarioTextProblem("\"\(text)\" has a {{ without }}.")
      }
      pieces.append(.value(try Self.value(rest[..<close.lowerBound])))
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { pieces.append(.words(String(rest))) }
    self.pieces = pieces
  }

  private static func value(_ text: Substring) throws(ScenarioTextProblem) -> Value {
    let words = text.filter { $0 != " " }
    if words.hasPrefix(channelPrefix) { return .channel(String(words.dropFirst(channelPrefix.count))) }
    let name = String(words.prefix { $0 != "+" && $0 != "-" })
    let rest = words.dropFirst(name.count)
    var shift = Duration.zero
    if let sign = rest.first {
      guard let size = DurationText.parse(String(rest.dropFirst())) else {
        throw ScenarioTextProblem("{{\(text)}}: after \(sign) a duration must follow, such as {{time.unix + 5m}}.")
      }
      shift = sign == "-" ? .zero - size : size
    }
    switch name {
    case "time.unix": return .unix(shift)
    case "time.milliseconds": return .milliseconds(shift)
    case "time.iso": return .iso(shift)
    case "n" where rest.isEmpty: return .round
    case "device" where rest.isEmpty: return .device
    default:
      let near = SpellingSuggestion.nearest(to: name, among: names).map { "did you mean {{\($0)}}?" }
      throw ScenarioTextProblem(
        "{{\(text)}} is not a placeholder; \(near ?? "valid ones are \(names.joined(separator: ", ")).")")
    }
  }

  /// True if every device gets the same text.
  var isShared: Bool { !pieces.contains(.value(.device)) }
  var isFixed: Bool { pieces.allSatisfy { if case .words = $0 { true } else { false } } }

  /// The names of the channels in it.
  package var channels: [String] { pieces.compactMap { if case .value(.channel(let name)) = $0 { name } else { nil } } }

  /// The placeholder's value, or the text with values inserted.
  func json(at moment: Moment) -> JSONValue {
    if pieces.count == 1, case .value(let value) = pieces[0] { return Self.json(value, moment) }
    return .string(text(at: moment))
  }

  func text(at moment: Moment) -> String {
    pieces.map { piece in
      switch piece {
      case .words(let words): words
      case .value(let value):
        switch Self.json(value, moment) {
        case .string(let text): text
        case let other: other.text
        }
      }
    }
    .joined()
  }

  private static func json(_ value: Value, _ moment: Moment) -> JSONValue {
    switch value {
    case .unix(let shift): .integer(moment.now.advanced(by: shift).seconds)
    case .milliseconds(let shift): .integer(moment.now.advanced(by: shift).milliseconds)
    case .iso(let shift): .string(moment.now.advanced(by: shift).rfc3339)
    case .round: .integer(Int64(moment.round))
    case .device: .string(moment.device)
    case .channel(let name): .string(moment.channels[name] ?? "")
    }
  }
}

/// An error in a placeholder, as a sentence for the author of the scenario.
package struct ScenarioTextProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
