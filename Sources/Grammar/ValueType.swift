import WireFormats

/// The valid values of a key. The published JSON Schema and the request bodies of the OpenAPI document are made from
/// it; tests compare it with the readers.
package indirect enum ValueType: Sendable {
  /// A single value as text, with a maximum number of characters.
  case text(most: Int? = nil)
  /// A text that matches a regular expression of JSON Schema.
  case pattern(String)
  case words([String])
  case whole(ClosedRange<Int>)
  /// A number from a list.
  case numbers([Int])
  case number
  case truth
  /// True; false is not valid.
  case isTrue
  /// A duration such as 90s, or seconds.
  case duration
  /// A duration that can be negative.
  case offset
  /// 10% or 0.1.
  case share
  /// `18`, which matches every 18, or `18.5`.
  case os
  /// `20`, or a range such as `10..20` or `10..`.
  case count
  /// A range of durations such as `0s..10s`.
  case durations
  /// Any object, such as a part of a payload.
  case object
  case any
  case list(of: ValueType, least: Int = 0)
  case either([ValueType])
  case orNull(ValueType)
  /// An object with known members. It needs all members of `needed`, and exactly one member of `oneOf`.
  case members([(name: String, type: ValueType)], needed: [String] = [], oneOf: [String] = [])
  /// A type with a sentence about one use of it.
  case described(ValueType, String)
  /// A type that the schema of scenario files defines under a name. It may contain itself.
  case defined(String, @Sendable () -> ValueType)
  /// A type that the OpenAPI document lists under a name. The limits are further keywords, of that document alone.
  case named(String, String?, limits: JSONValue, ValueType)

  private static let uuidPattern = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"

  package static let uuid = ValueType.pattern(uuidPattern).named(
    "ApnsId", "A UUID in its canonical form.", limits: ["format": "uuid", "pattern": .string(uuidPattern)])
  package static let seconds = ValueType.number.named(
    "Seconds", "A date in seconds since 1970, as in payloads.",
    limits: ["exclusiveMinimum": -9_000_000_000, "exclusiveMaximum": 9_000_000_000])
  package static let anyWhole = ValueType.whole(0...Int.max)

  package func named(_ name: String, _ meaning: String? = nil, limits: JSONValue = [:]) -> ValueType {
    .named(name, meaning, limits: limits, self)
  }

  package func meaning(_ text: String) -> ValueType { .described(self, text) }

  /// Values of any of these types, with all of their sentences.
  package static func any(of types: [ValueType]) -> ValueType {
    var (all, sentences): ([ValueType], [String]) = ([], [])
    for type in types {
      var type = type
      if case .described(let inner, let text) = type {
        type = inner
        if !sentences.contains(text) { sentences.append(text) }
      }
      let parts = if case .either(let parts) = type { parts } else { [type] }
      for part in parts where !all.contains(where: { $0.schema(plain: true) == part.schema(plain: true) }) {
        all.append(part)
      }
    }
    let type = all.count == 1 ? all[0] : .either(all)
    return sentences.isEmpty ? type : type.meaning(sentences.joined(separator: " "))
  }

  /// The type without names and sentences.
  package var unnamed: ValueType {
    switch self {
    case .named(_, _, _, let type), .described(let type, _): type.unnamed
    case .defined(_, let type): type().unnamed
    default: self
    }
  }

  /// The members of an object; empty for other types.
  package var members: [(name: String, type: ValueType)] {
    if case .members(let members, _, _) = unnamed { members } else { [] }
  }

  /// The keys that an object needs.
  package var needed: [String] { if case .members(_, let needed, _) = unnamed { needed } else { [] } }
  package var keys: [String] { members.map(\.name) }

  /// The JSON Schema of the type.
  ///
  /// - Parameter plain: whether the document is YAML, where an unquoted number or truth is also valid as text.
  package func schema(plain: Bool) -> JSONValue {
    switch self {
    case .text(let most):
      var members = [JSONValue.Member("type", plain ? ["string", "number", "boolean"] : "string")]
      if let most { members.append(.init("maxLength", JSONValue(most))) }
      return .object(members)
    case .pattern(let pattern): return ["type": "string", "pattern": .string(pattern)]
    case .words(let words):
      // In YAML, a word such as 200 or true is not a text unless it is quoted.
      let bare = plain ? words.compactMap(Self.bare) : []
      return ["enum": .array(words.map { .string($0) } + bare)]
    case .whole(let range):
      var members = [JSONValue.Member("type", "integer"), .init("minimum", JSONValue(range.lowerBound))]
      if range.upperBound < .max { members.append(.init("maximum", JSONValue(range.upperBound))) }
      return .object(members)
    case .numbers(let numbers): return ["enum": .array(numbers.map { JSONValue($0) })]
    case .number: return ["type": "number"]
    case .truth: return ["type": "boolean"]
    case .isTrue: return ["const": true]
    case .duration:
      return ["type": ["string", "number"], "description": "A duration such as 90s, 20m, 1h30m or 500ms."]
    case .offset:
      return ["type": ["string", "number"], "description": "A duration such as 90m, or -90m for one in the past."]
    case .share:
      return [
        "type": ["string", "number"], "description": "A share such as 30%, or a number from 0 to 1 such as 0.3.",
      ]
    case .os:
      let text = ValueType.pattern(#"^[1-9][0-9]?(\.[0-9]{1,2})?$"#)
      // A JSON number 18.10 would be read as 18.1.
      return ValueType.either([text, plain ? .number : .whole(1...99)]).schema(plain: plain)
    case .count:
      return [
        "oneOf": [["type": "integer", "minimum": 0], ["type": "string", "pattern": .string(Self.countPattern)]],
        "description": .string(Self.countMeaning),
      ]
    case .durations: return ["type": "string", "description": .string(Self.durationsMeaning)]
    case .object: return ["type": "object"]
    case .any: return true
    case .list(let type, let least):
      let limit: [JSONValue.Member] = least > 0 ? [.init("minItems", JSONValue(least))] : []
      return .object([.init("type", "array")] + limit + [.init("items", type.schema(plain: plain))])
    case .either(let types): return ["anyOf": .array(types.map { $0.schema(plain: plain) })]
    case .orNull(let type):
      let schema = type.schema(plain: plain)
      guard schema["type"] == "object" else { return ["anyOf": [schema, ["type": "null"]]] }
      return schema.with("type", ["object", "null"])
    case .members(let members, let needed, let one):
      return Self.schema(of: members, needed: needed, oneOf: one, plain: plain)
    case .described(let type, let text): return type.schema(plain: plain).with("description", .string(text))
    case .defined(let name, _): return ["$ref": .string("#/$defs/\(name)")]
    case .named(_, _, _, let type): return type.schema(plain: plain)
    }
  }

  static let countPattern = #"^[0-9]+(\.\.([0-9]+)?)?$"#
  static let countMeaning = "A whole number, or a range such as 10..20 or 10.."
  static let durationsMeaning = "A range of durations such as 0s..10s, or 1m.. for a minute or longer."

  /// Adds the defined types that the type contains.
  package func addDefinitions(to list: inout [(name: String, type: ValueType)]) {
    switch self {
    case .defined(let name, let type):
      guard !list.contains(where: { $0.name == name }) else { return }
      list.append((name, type()))
      type().addDefinitions(to: &list)
    case .list(let type, _), .orNull(let type), .described(let type, _), .named(_, _, _, let type):
      type.addDefinitions(to: &list)
    case .either(let types): for type in types { type.addDefinitions(to: &list) }
    case .members(let members, _, _): for member in members { member.type.addDefinitions(to: &list) }
    default: break
    }
  }

  /// The number or truth value that a word means without quotes; nil if it is a text.
  private static func bare(_ word: String) -> JSONValue? {
    if let number = Int64(word) { return .integer(number) }
    return Bool(word).map { .bool($0) }
  }

  private static func schema(
    of members: [(name: String, type: ValueType)], needed: [String], oneOf: [String], plain: Bool
  ) -> JSONValue {
    var all: [JSONValue.Member] = [
      .init("type", "object"), .init("additionalProperties", false),
      .init("properties", .object(members.map { .init($0.name, $0.type.schema(plain: plain)) })),
    ]
    if !needed.isEmpty { all.append(.init("required", .array(needed.map { .string($0) }))) }
    if !oneOf.isEmpty { all.append(.init("oneOf", .array(oneOf.map { ["required": [.string($0)]] }))) }
    return .object(all)
  }
}

extension JSONValue {
  /// A copy of the object in which a member has another value, or is added.
  fileprivate func with(_ name: String, _ value: JSONValue) -> JSONValue {
    let known = members ?? []
    guard known.contains(where: { $0.key == name }) else { return .object(known + [.init(name, value)]) }
    return .object(known.map { $0.key == name ? .init(name, value) : $0 })
  }
}
