import WireFormats

/// As much of JSON Schema as the published schemas use: whether a document meets one.
struct JSONSchema {
  let root: JSONValue

  func accepts(_ value: JSONValue) -> Bool { accepts(value, root) }

  /// The schema behind a reference, or the same.
  func resolved(_ schema: JSONValue) -> JSONValue {
    guard let reference = schema["$ref"]?.string else { return schema }
    return resolved(reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null })
  }

  private func accepts(_ value: JSONValue, _ unresolved: JSONValue) -> Bool {
    let schema = resolved(unresolved)
    if case .bool(let anything) = schema { return anything }
    for member in schema.members ?? [] where !holds(member.key, member.value, value, schema) { return false }
    return true
  }

  private func holds(_ key: String, _ rule: JSONValue, _ value: JSONValue, _ schema: JSONValue) -> Bool {
    switch key {
    case "type": (rule.elements ?? [rule]).contains { Self.isType($0.string ?? "", value) }
    case "enum": rule.elements?.contains(value) ?? false
    case "const": rule == value
    case "minimum": value.number.map { $0 >= rule.number ?? 0 } ?? true
    case "maximum": value.number.map { $0 <= rule.number ?? 0 } ?? true
    case "minLength": value.string.map { $0.count >= Int(rule.number ?? 0) } ?? true
    case "maxLength": value.string.map { $0.count <= Int(rule.number ?? 0) } ?? true
    case "minItems": value.elements.map { $0.count >= Int(rule.number ?? 0) } ?? true
    case "maxItems": value.elements.map { $0.count <= Int(rule.number ?? 0) } ?? true
    case "pattern": value.string.map { Self.matches($0, rule.string ?? "") } ?? true
    case "items": value.elements?.allSatisfy { accepts($0, rule) } ?? true
    case "required": value.members == nil || rule.elements?.allSatisfy { value[$0.string ?? ""] != nil } ?? true
    case "properties":
      (value.members ?? []).allSatisfy { member in rule[member.key].map { accepts(member.value, $0) } ?? true }
    case "additionalProperties":
      (value.members ?? []).allSatisfy { rule != false || schema["properties"]?[$0.key] != nil }
    case "anyOf": rule.elements?.contains { accepts(value, $0) } ?? false
    case "oneOf": rule.elements?.count { accepts(value, $0) } == 1
    default: true
    }
  }

  private static func matches(_ text: String, _ pattern: String) -> Bool {
    guard let expression = try? Regex(pattern) else { return false }
    return text.firstMatch(of: expression) != nil
  }

  private static func isType(_ name: String, _ value: JSONValue) -> Bool {
    switch (name, value) {
    case ("string", .string), ("boolean", .bool), ("null", .null), ("object", .object), ("array", .array),
      ("integer", .integer), ("number", .integer), ("number", .double):
      true
    default: false
    }
  }

  /// The types of JSON that a schema takes; a whole number is a number.
  func types(_ unresolved: JSONValue) -> Set<String> {
    let schema = resolved(unresolved)
    var found: Set<String> = []
    if let type = schema["type"] { found = Set((type.elements ?? [type]).compactMap(\.string)) }
    for value in schema["enum"]?.elements ?? schema["const"].map({ [$0] }) ?? [] where schema["type"] == nil {
      switch value {
      case .string: found.insert("string")
      case .integer: found.insert("integer")
      case .bool: found.insert("boolean")
      default: break
      }
    }
    for part in (schema["anyOf"]?.elements ?? []) + (schema["oneOf"]?.elements ?? []) { found.formUnion(types(part)) }
    if found.contains("number") { found.remove("integer") }
    return found
  }
}
