import WireFormats

/// Schemas made from the types of readers.
extension Schema {
  package static let versionText = string.with(["pattern": #"^[1-9][0-9]?(\.[0-9]{1,2})?$"#])
  package static let osPattern = either([versionText, integer.with(["minimum": 1, "maximum": 99])])
    .named("OSPattern", #"A version of iOS. `"18"` matches every 18; `"18.5"` only that version."#)
  package static let share = either([
    number.with(["minimum": 0, "maximum": 1]),
    string.with([
      "pattern": #"^((100(\.0{1,6})?|[0-9]{1,2}(\.[0-9]{1,6})?)%|0(\.[0-9]{1,6})?|1(\.0{1,6})?)$"#
    ]),
  ]).named("Share", #"A fraction, such as "30%" or 0.3; resolution: one millionth."#)
  package static let duration = types(["string", "number"])

  /// The description of a key in the OpenAPI document, besides its type.
  package struct Note: ExpressibleByStringLiteral, Sendable {
    fileprivate let meaning: String?
    fileprivate let schema: Schema?
    fileprivate let limits: JSONValue

    /// - Parameters:
    ///   - meaning: the description of the key.
    ///   - schema: replaces the schema of the key's type.
    ///   - limits: keywords to add to the schema, such as `minLength`.
    package init(_ meaning: String? = nil, as schema: Schema? = nil, limits: JSONValue = [:]) {
      self.meaning = meaning
      self.schema = schema
      self.limits = limits
    }

    package init(stringLiteral text: String) { self.init(text) }
  }

  /// Returns the members of an object, with their notes.
  ///
  /// - Parameters:
  ///   - notes: the notes by key. The key of an inner object is written with a dot, such as `when.event`.
  ///   - path: the path of the object that is described, which ends with a dot; empty for the whole body.
  package static func members(of type: ValueType, _ notes: [String: Note] = [:], at path: String = "") -> [Member] {
    type.members.map { name, inner in
      let note = notes[path + name] ?? Note()
      let schema = note.schema ?? Schema(inner, notes, at: "\(path)\(name).")
      return Member(name, schema.with(note.limits), meaning: note.meaning, isNeeded: type.needed.contains(name))
    }
  }

  package init(_ type: ValueType, _ notes: [String: Note] = [:], at path: String = "") {
    self =
      switch type {
      case .text(let most): most.map { Schema.string.with(["maxLength": JSONValue($0)]) } ?? .string
      case .words(let words): .words(words)
      case .pattern(let pattern): .string.with(["pattern": .string(pattern)])
      case .numbers(let numbers): .integer.with(["enum": .array(numbers.map { JSONValue($0) })])
      case .truth: .truth
      case .isTrue: .truth.with(["const": true])
      case .number: .number
      case .whole: .plain(type.schema(plain: false))
      case .duration, .offset: .duration
      case .share: .share
      case .os: .osPattern
      case .count:
        .either([.whole, .string.with(["pattern": .string(ValueType.countPattern)])]).meaning(ValueType.countMeaning)
      case .durations: .string.meaning(ValueType.durationsMeaning)
      case .object: .object
      case .any: .any
      case .list(let inner, let least):
        least > 0 ? .list(of: Schema(inner)).with(["minItems": JSONValue(least)]) : .list(of: Schema(inner))
      case .either(let types): .either(types.map { Schema($0) })
      case .orNull(let inner): Schema(inner, notes, at: path).orNull
      case .members: .object(Self.members(of: type, notes, at: path))
      case .described(let inner, let text): Schema(inner, notes, at: path).meaning(text)
      case .defined(_, let inner): Schema(inner(), notes, at: path)
      case .named(let name, let meaning, let limits, let inner):
        Schema(inner, notes, at: path).with(limits).named(name, meaning)
      }
  }
}
