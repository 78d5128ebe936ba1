import WireFormats

/// A JSON Schema, as the OpenAPI document has it.
package struct Schema: Sendable {
  /// A member of an object.
  package struct Member: Sendable {
    package let name: String
    package let schema: Schema
    package let isNeeded: Bool

    package init(_ name: String, _ schema: Schema, meaning: String? = nil, isNeeded: Bool = true) {
      self.name = name
      self.schema = meaning.map { schema.meaning($0) } ?? schema
      self.isNeeded = isNeeded
    }

    /// An optional member.
    package static func maybe(_ name: String, _ schema: Schema, meaning: String? = nil) -> Member {
      Member(name, schema, meaning: meaning, isNeeded: false)
    }
  }

  private indirect enum Form: Sendable {
    case plain
    /// Only these members, or also others.
    case object([Member], isClosed: Bool)
    case map(Schema)
    case list(Schema)
    case either([Schema])
    /// A schema in `components/schemas`, to which others refer.
    case named(String, Schema)
  }

  private let form: Form
  /// The keywords besides those of the form.
  private let keywords: [JSONValue.Member]

  private init(_ form: Form, _ keywords: [JSONValue.Member] = []) {
    self.form = form
    self.keywords = keywords
  }

  // MARK: - Making

  package static let any = Schema(.plain)
  package static let string = type("string")
  package static let truth = type("boolean")
  package static let number = type("number")
  package static let integer = type("integer")
  /// Any object.
  package static let object = type("object")
  package static let whole = integer.with(["minimum": 0])
  package static let positive = integer.with(["minimum": 1])
  package static let uuid = string.with(["format": "uuid"])

  private static func type(_ name: String) -> Schema { Schema(.plain, [.init("type", .string(name))]) }

  /// Values of any of these types.
  package static func types(_ names: [String]) -> Schema { plain(["type": .array(names.map { .string($0) })]) }

  package static func plain(_ keywords: JSONValue) -> Schema { Schema(.plain, keywords.members ?? []) }

  package static func words(_ words: [String]) -> Schema { string.with(["enum": .array(words.map { .string($0) })]) }

  package static func words<Word: CaseIterable & RawRepresentable<String>>(_ type: Word.Type) -> Schema {
    words(type.allCases.map(\.rawValue))
  }

  package static func constant(_ word: String) -> Schema { string.with(["const": .string(word)]) }

  package static func list(of schema: Schema) -> Schema { Schema(.list(schema)) }

  package static func map(of schema: Schema) -> Schema { Schema(.map(schema)) }

  package static func either(_ schemas: [Schema]) -> Schema { Schema(.either(schemas)) }

  /// An object with these members only.
  package static func object(_ members: [Member]) -> Schema { Schema(.object(members, isClosed: true)) }

  /// An object that may have members besides these.
  package static func open(_ members: [Member]) -> Schema { Schema(.object(members, isClosed: false)) }

  package func with(_ more: JSONValue) -> Schema {
    let added = more.members ?? []
    return Schema(form, keywords.filter { keyword in !added.contains { $0.key == keyword.key } } + added)
  }

  package func meaning(_ text: String) -> Schema { with(["description": .string(text)]) }

  package func example(_ value: JSONValue) -> Schema { with(["example": value]) }

  package func named(_ name: String, _ meaning: String? = nil) -> Schema {
    Schema(.named(name, meaning.map { self.meaning($0) } ?? self))
  }

  package var orNull: Schema {
    let names = ["type", "enum"]
    guard case .plain = form, let type = keywords.first(where: { $0.key == "type" })?.value.string else {
      let outer = keywords.filter { ["description", "example"].contains($0.key) }
      let inner = Schema(form, keywords.filter { keyword in !outer.contains { $0.key == keyword.key } })
      return Schema(.either([.plain(["type": "null"]), inner]), outer)
    }
    var all: [JSONValue.Member] = [.init("type", [.string(type), "null"])]
    if let words = keywords.first(where: { $0.key == "enum" })?.value.elements {
      all.append(.init("enum", .array(words + [.null])))
    }
    return Schema(.plain, all + keywords.filter { !names.contains($0.key) })
  }

  // MARK: - Writing

  /// The schema as JSON, with references to named ones, which are added to the list.
  package func json(_ list: inout [(name: String, schema: JSONValue)]) -> JSONValue {
    switch form {
    case .plain: return .object(keywords)
    case .object(let members, let isClosed):
      var all: [JSONValue.Member] = [.init("type", "object")]
      let needed = members.filter(\.isNeeded).map { JSONValue.string($0.name) }
      if !needed.isEmpty { all.append(.init("required", .array(needed))) }
      if isClosed { all.append(.init("additionalProperties", false)) }
      var properties: [JSONValue.Member] = []
      for member in members { properties.append(.init(member.name, member.schema.json(&list))) }
      return joined(all + [.init("properties", .object(properties))])
    case .map(let schema): return joined([.init("type", "object"), .init("additionalProperties", schema.json(&list))])
    case .list(let schema): return joined([.init("type", "array"), .init("items", schema.json(&list))])
    case .either(let schemas):
      var parts: [JSONValue] = []
      for schema in schemas { parts.append(schema.json(&list)) }
      return joined([.init("oneOf", .array(parts))])
    case .named(let name, let schema):
      if !list.contains(where: { $0.name == name }) {
        let place = list.count
        list.append((name, .null))
        list[place].schema = schema.json(&list)
      }
      return joined([.init("$ref", .string("#/components/schemas/\(name)"))])
    }
  }

  /// Texts come before the members that they describe.
  private func joined(_ members: [JSONValue.Member]) -> JSONValue {
    var given: [String: JSONValue] = [:]
    for keyword in keywords { given[keyword.key] = keyword.value }
    let own = members.map { JSONValue.Member($0.key, given[$0.key] ?? $0.value) }
    let others = keywords.filter { keyword in !members.contains { $0.key == keyword.key } }
    return .object(Array(own.prefix(1)) + others + own.dropFirst())
  }
}
