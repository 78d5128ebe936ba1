import WireFormats

/// As much of JSON Schema as the published schemas use: whether a document meets one.
package struct JSONSchema {
  package let root: JSONValue

  package init(root: JSONValue) { self.root = root }

  package func accepts(_ value: JSONValue) -> Bool { flaw(in: value, as: root) == nil }

  /// The schema behind a reference, or the same.
  package func resolved(_ schema: JSONValue) -> JSONValue {
    guard let reference = schema["$ref"]?.string else { return schema }
    return resolved(reference.split(separator: "/").dropFirst().reduce(root) { $0[String($1)] ?? .null })
  }

  /// The first difference between a value and a schema, with its place; nil if the value is valid.
  ///
  /// - Parameter schema: one in the document, or the document itself.
  package func flaw(in value: JSONValue, as schema: JSONValue, at place: String = "") -> String? {
    let schema = resolved(schema)
    if case .bool(let anything) = schema { return anything ? nil : "\(place) is not allowed" }
    for member in schema.members ?? [] {
      if let flaw = flaw(member.key, member.value, value, schema, place) { return flaw }
    }
    return nil
  }

  private func flaw(
    _ key: String, _ rule: JSONValue, _ value: JSONValue, _ schema: JSONValue, _ place: String
  ) -> String? {
    switch key {
    case "items":
      for (number, element) in (value.elements ?? []).enumerated() {
        if let flaw = flaw(in: element, as: rule, at: "\(place)[\(number)]") { return flaw }
      }
      return nil
    case "properties", "additionalProperties":
      for member in value.members ?? [] {
        let rule = key == "properties" ? rule[member.key] : schema["properties"]?[member.key] == nil ? rule : nil
        if let rule, let flaw = flaw(in: member.value, as: rule, at: "\(place).\(member.key)") { return flaw }
      }
      return nil
    default: return holds(key, rule, value) ? nil : "\(place) does not meet \(key): \(value.text.prefix(200))"
    }
  }

  private func holds(_ key: String, _ rule: JSONValue, _ value: JSONValue) -> Bool {
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
    case "required": value.members == nil || rule.elements?.allSatisfy { value[$0.string ?? ""] != nil } ?? true
    case "anyOf": rule.elements?.contains { flaw(in: value, as: $0) == nil } ?? false
    case "oneOf": rule.elements?.count { flaw(in: value, as: $0) == nil } == 1
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
}
