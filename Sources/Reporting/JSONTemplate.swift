import WireFormats

/// A JSON document with placeholders. A string that consists of one placeholder becomes its value, with its type.
package indirect enum JSONTemplate: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    let key: String
    let value: JSONTemplate

    package init(_ key: String, _ value: JSONTemplate) {
      self.key = key
      self.value = value
    }
  }

  case fixed(JSONValue)
  case text(Template)
  case array([JSONTemplate])
  case object([Member])

  package init(_ value: JSONValue) throws(TemplateProblem) {
    switch value {
    case .string(let text):
      let template = try Template(text)
      self = template.references.isEmpty ? .fixed(value) : .text(template)
    case .array(let elements):
      var list: [JSONTemplate] = []
      for element in elements { list.append(try JSONTemplate(element)) }
      self = .array(list)
    case .object(let members):
      var list: [Member] = []
      for member in members { list.append(Member(member.key, try JSONTemplate(member.value))) }
      self = .object(list)
    default: self = .fixed(value)
    }
  }

  package var references: [TemplateReference] {
    switch self {
    case .fixed: []
    case .text(let template): template.references
    case .array(let elements): elements.flatMap(\.references)
    case .object(let members): members.flatMap(\.value.references)
    }
  }

  func render(_ scope: TemplateScope) throws(MissingValue) -> JSONValue {
    switch self {
    case .fixed(let value): return value
    case .text(let template):
      guard let reference = template.soleReference else { return .string(try template.render(scope)) }
      if let value = scope.value(of: reference) { return value }
      guard reference.isOptional else { throw MissingValue(reference: reference) }
      return .null
    case .array(let elements):
      var list: [JSONValue] = []
      for element in elements { list.append(try element.render(scope)) }
      return .array(list)
    case .object(let members):
      var list: [JSONValue.Member] = []
      for member in members { list.append(JSONValue.Member(member.key, try member.value.render(scope))) }
      return .object(list)
    }
  }
}
