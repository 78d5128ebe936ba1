import WireFormats

/// A payload with placeholders for values at the time of sending.
package indirect enum ScenarioPayload: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    let key: String
    let value: ScenarioPayload
  }

  case fixed(JSONValue)
  case text(ScenarioText)
  case array([ScenarioPayload])
  case object([Member])

  package init(_ value: JSONValue) throws(ScenarioTextProblem) {
    switch value {
    case .string(let words):
      let text = try ScenarioText(words)
      self = text.isFixed ? .fixed(value) : .text(text)
    case .array(let elements):
      var list: [ScenarioPayload] = []
      for element in elements { list.append(try ScenarioPayload(element)) }
      self = .array(list)
    case .object(let members):
      var list: [Member] = []
      for member in members { list.append(Member(key: member.key, value: try ScenarioPayload(member.value))) }
      self = .object(list)
    case .null, .bool, .integer, .double: self = .fixed(value)
    }
  }

  /// True if every device gets the same payload.
  var isShared: Bool {
    switch self {
    case .fixed: true
    case .text(let text): text.isShared
    case .array(let elements): elements.allSatisfy(\.isShared)
    case .object(let members): members.allSatisfy(\.value.isShared)
    }
  }

  /// The names of the channels in it.
  package var channels: [String] {
    switch self {
    case .fixed: []
    case .text(let text): text.channels
    case .array(let elements): elements.flatMap(\.channels)
    case .object(let members): members.flatMap(\.value.channels)
    }
  }

  func json(at moment: ScenarioText.Moment) -> JSONValue {
    switch self {
    case .fixed(let value): value
    case .text(let text): text.json(at: moment)
    case .array(let elements): .array(elements.map { $0.json(at: moment) })
    case .object(let members): .object(members.map { .init($0.key, $0.value.json(at: moment)) })
    }
  }
}
