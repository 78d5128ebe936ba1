import WireFormats

/// Parses a schema from an app profile.
///
/// A word (`"int"`, `"int?"`), `[T]`, `{"optional": T}`, `{"dictionary": T}`, `{"dictionary": T, "keys": "int"}`,
/// `{"enum": […]}`, `{"enum": {"case": {"label": T}}}` or `{"type": "object", "properties": {…}}`. Each of the objects
/// may also have the member `"optional": true`.
extension ContentSchema {
  /// Maximum nesting of types. JSON is read up to 512 levels; no Swift type needs that.
  package static let deepest = 64

  package init(_ value: JSONValue) throws(SchemaProblem) {
    self = try Self.parse(value, depth: 1)
  }

  private static func parse(_ value: JSONValue, depth: Int) throws(SchemaProblem) -> ContentSchema {
    guard depth <= deepest else { throw SchemaProblem("types may be nested at most \(deepest) levels deep.") }
    switch value {
    case .string(let text): return try parse(word: text)
    case .array(let elements):
      guard let element = elements.first, elements.count == 1 else {
        throw SchemaProblem("an array must be written as the type of its elements in brackets: [\"int\"].")
      }
      return .array(try below(.index(0)) { () throws(SchemaProblem) in try parse(element, depth: depth + 1) })
    case .object(let members): return try parse(members, depth: depth)
    case .null, .bool, .integer, .double:
      throw SchemaProblem("a type must be a word (\(SchemaKeyword.list)), an array or an object.")
    }
  }

  private static func parse(word text: String) throws(SchemaProblem) -> ContentSchema {
    let isOptional = text.hasSuffix("?")
    let name = isOptional ? String(text.dropLast()) : text
    if let schema = SchemaKeyword.schema(name) { return isOptional ? .optional(schema) : schema }
    if name.hasSuffix("?") { throw SchemaProblem("use only one ? for an optional type.") }
    let hint = SchemaKeyword.suggestion(for: name).map { "did you mean \($0)?" } ?? "one of \(SchemaKeyword.list)."
    throw SchemaProblem("\(DecodeFailure.quoted(name)) is not a type; \(hint)")
  }

  /// The members that select the kind of type.
  private static let forms = ["type", "enum", "dictionary", "optional"]
  /// The member that may stand beside the one that selects the kind.
  private static let further = ["type": "properties", "dictionary": "keys"]

  private static func parse(_ members: [JSONValue.Member], depth: Int) throws(SchemaProblem) -> ContentSchema {
    if let name = duplicate(in: members) { throw SchemaProblem("\(DecodeFailure.quoted(name)) is a duplicate key.") }
    var rest = members
    var isOptional = false
    if let place = rest.firstIndex(where: { $0.key == "optional" }), case .bool(let flag) = rest[place].value {
      isOptional = flag
      rest.remove(at: place)
    }
    let schema = try parse(form: rest, depth: depth)
    guard isOptional else { return schema }
    if case .optional = schema { throw SchemaProblem("the type is already optional; remove \"optional\": true.") }
    return .optional(schema)
  }

  private static func parse(form members: [JSONValue.Member], depth: Int) throws(SchemaProblem) -> ContentSchema {
    let value = JSONValue.object(members)
    guard let form = forms.first(where: { value[$0] != nil }), let content = value[form] else {
      throw unknown(members.first?.key, instead: forms + ["properties", "keys"])
    }
    let known = [form] + (further[form].map { [$0] } ?? [])
    if let extra = members.first(where: { !known.contains($0.key) }) {
      let contradicts = forms.contains(extra.key) || further.values.contains(extra.key)
      guard contradicts else { throw unknown(extra.key, instead: known + ["optional"]) }
      throw SchemaProblem("a type can have \"\(form)\" or \"\(extra.key)\", not both.")
    }
    switch form {
    case "enum": return try below(.key(form)) { () throws(SchemaProblem) in try parse(cases: content, depth: depth) }
    case "type": return try parse(type: content, properties: value["properties"], depth: depth)
    default:
      let inner = try below(.key(form)) { () throws(SchemaProblem) in try parse(content, depth: depth + 1) }
      if form == "dictionary" { return try dictionary(of: inner, keys: value["keys"], depth: depth) }
      if case .optional = inner { throw SchemaProblem("the type is already optional; remove {\"optional\": …}.") }
      return .optional(inner)
    }
  }

  private static func unknown(_ key: String?, instead known: [String]) -> SchemaProblem {
    guard let key else {
      return SchemaProblem("a type object needs \"type\", \"enum\", \"dictionary\" or \"optional\".")
    }
    if key == "properties" { return SchemaProblem("beside \"properties\" stands \"type\": \"object\".") }
    if key == "keys" { return SchemaProblem("beside \"keys\" stands \"dictionary\", the type of the values.") }
    let hint =
      SpellingSuggestion.nearest(to: key, among: known).map { "did you mean \"\($0)\"?" }
      ?? "valid keys are \(known.joined(separator: ", "))."
    return SchemaProblem("\(DecodeFailure.quoted(key)) is not a valid key; \(hint)")
  }

  /// The type of a dictionary. Documented: Swift encodes keys of type `String` or `Int` as those of a JSON object, and
  /// a dictionary with other keys as an array.
  private static func dictionary(
    of values: ContentSchema, keys: JSONValue?, depth: Int
  ) throws(SchemaProblem) -> ContentSchema {
    guard let keys else { return .dictionary(values) }
    let type = try below(.key("keys")) { () throws(SchemaProblem) in try parse(keys, depth: depth + 1) }
    switch type {
    case .string: return .dictionary(values)
    case .int: return .intDictionary(values)
    default: return .pairs(type, values)
    }
  }

  private static func parse(cases: JSONValue, depth: Int) throws(SchemaProblem) -> ContentSchema {
    if let members = cases.members { return .caseEnum(try parse(cases: members, depth: depth)) }
    guard let values = cases.elements, !values.isEmpty else {
      throw SchemaProblem(
        "an enum must list its raw values: [\"live\", \"break\"], or its cases with their associated values:"
          + " {\"live\": {\"_0\": \"int\"}, \"break\": {}}.")
    }
    guard Set(values).count == values.count else { throw SchemaProblem("the raw values must be unique.") }
    let strings = values.compactMap(\.string)
    if strings.count == values.count {
      guard Set(strings).count == strings.count else { throw SchemaProblem("the raw values must be unique.") }
      return .stringEnum(strings)
    }
    let numbers = values.compactMap(\.integer)
    guard numbers.count == values.count else {
      throw SchemaProblem("the raw values of an enum must be all strings or all whole numbers.")
    }
    return .intEnum(numbers)
  }

  private static func parse(cases members: [JSONValue.Member], depth: Int) throws(SchemaProblem) -> [Property] {
    guard !members.isEmpty else { throw SchemaProblem("an enum must have a case.") }
    if let name = duplicate(in: members) {
      throw SchemaProblem("the case \(DecodeFailure.quoted(name)) is declared twice.")
    }
    var cases: [Property] = []
    for member in members {
      let values = try below(.key(member.key)) { () throws(SchemaProblem) -> [Property] in
        guard let labels = member.value.members else {
          throw SchemaProblem(
            "a case must have an object with its associated values, by label or as \"_0\", \"_1\"; {} if it has none.")
        }
        return try parse(properties: labels, depth: depth + 1)
      }
      cases.append(Property(member.key, .object(values)))
    }
    return cases
  }

  private static func parse(
    type: JSONValue, properties: JSONValue?, depth: Int
  ) throws(SchemaProblem) -> ContentSchema {
    guard type == "object" else {
      if properties != nil { throw SchemaProblem("only \"type\": \"object\" has properties.") }
      guard let word = type.string else { throw SchemaProblem("\"type\" must be a word, such as \"object\".") }
      return try below(.key("type")) { () throws(SchemaProblem) in try parse(word: word) }
    }
    guard let members = properties?.members else {
      throw SchemaProblem("an object needs \"properties\", an object of names and their types.")
    }
    return try below(.key("properties")) { () throws(SchemaProblem) in
      .object(try parse(properties: members, depth: depth))
    }
  }

  private static func parse(
    properties members: [JSONValue.Member], depth: Int
  ) throws(SchemaProblem) -> [Property] {
    if let name = duplicate(in: members) {
      throw SchemaProblem("the property \(DecodeFailure.quoted(name)) is declared twice.")
    }
    var properties: [Property] = []
    for member in members {
      guard !member.key.hasSuffix("?") else {
        throw SchemaProblem("put the ? after the type, not after the name.").below(.key(member.key))
      }
      properties.append(
        Property(
          member.key,
          try below(.key(member.key)) { () throws(SchemaProblem) in try parse(member.value, depth: depth + 1) }))
    }
    return properties
  }

  private static func duplicate(in members: [JSONValue.Member]) -> String? {
    var seen: Set<String> = []
    return members.first { !seen.insert($0.key).inserted }?.key
  }

  private static func below<Result>(
    _ step: ContentPath.Step, _ body: () throws(SchemaProblem) -> Result
  ) throws(SchemaProblem) -> Result {
    do throws(SchemaProblem) {
      return try body()
    } catch {
      throw error.below(step)
    }
  }
}
