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
  /// Any object, such as a part of a payload.
  case object
  case list(of: ValueType)
  case either([ValueType])
  /// An object with known members.
  case members([(name: String, type: ValueType)], needed: [String] = [])
  /// A type that the OpenAPI document lists under a name. The limits are further keywords, of that document alone.
  case named(String, String?, limits: JSONValue, ValueType)

  private static let uuidPattern = "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$"

  package static let device = ValueType.pattern("^d[0-9]{1,8}$").named(
    "DeviceId", "`d` and the device's number in the fleet, from 0.", limits: ["pattern": "^d(0|[1-9][0-9]{0,8})$"])
  package static let user = ValueType.pattern("^u[0-9]{1,8}$").named(
    "UserId", "`u` and the number of the person's first phone.", limits: ["pattern": "^u(0|[1-9][0-9]{0,8})$"])
  package static let uuid = ValueType.pattern(uuidPattern).named(
    "ApnsId", "A UUID in its canonical form.", limits: ["format": "uuid", "pattern": .string(uuidPattern)])
  package static let seconds = ValueType.number.named(
    "Seconds", "A date in seconds since 1970, as in payloads.",
    limits: ["exclusiveMinimum": -9_000_000_000, "exclusiveMaximum": 9_000_000_000])
  package static let anyWhole = ValueType.whole(0...Int.max)

  package func named(_ name: String, _ meaning: String? = nil, limits: JSONValue = [:]) -> ValueType {
    .named(name, meaning, limits: limits, self)
  }

  /// The type without a name.
  package var unnamed: ValueType { if case .named(_, _, _, let type) = self { type } else { self } }

  /// The members of an object; empty for other types.
  package var members: [(name: String, type: ValueType)] {
    if case .members(let members, _) = unnamed { members } else { [] }
  }

  /// The keys that an object needs.
  package var needed: [String] { if case .members(_, let needed) = unnamed { needed } else { [] } }
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
    case .object: return ["type": "object"]
    case .list(let type): return ["type": "array", "items": type.schema(plain: plain)]
    case .either(let types): return ["anyOf": .array(types.map { $0.schema(plain: plain) })]
    case .members(let members, let needed): return Self.schema(of: members, needed: needed, plain: plain)
    case .named(_, _, _, let type): return type.schema(plain: plain)
    }
  }

  /// The number or truth value that a word means without quotes; nil if it is a text.
  private static func bare(_ word: String) -> JSONValue? {
    if let number = Int64(word) { return .integer(number) }
    return Bool(word).map { .bool($0) }
  }

  package static func schema(
    of members: [(name: String, type: ValueType)], needed: [String] = [], plain: Bool
  ) -> JSONValue {
    var all: [JSONValue.Member] = [
      .init("type", "object"), .init("additionalProperties", false),
      .init("properties", .object(members.map { .init($0.name, $0.type.schema(plain: plain)) })),
    ]
    if !needed.isEmpty { all.append(.init("required", .array(needed.map { .string($0) }))) }
    return .object(all)
  }
}
