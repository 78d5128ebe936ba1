import WireFormats

/// A text with placeholders: `{{backend}}/matches/{{attributes.matchId}}`.
package struct Template: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case text(String)
    case value(TemplateReference)
  }

  let parts: [Part]

  package init(_ text: String) throws(TemplateProblem) {
    var parts: [Part] = []
    var rest = Substring(text)
    while let open = rest.firstRange(of: "{{") {
      if open.lowerBound > rest.startIndex { parts.append(.text(String(rest[..<open.lowerBound]))) }
      rest = rest[open.upperBound...]
      guard let close = rest.firstRange(of: "}}") else {
        throw TemplateProblem("\"\(text)\" has a {{ without }}.")
      }
      parts.append(.value(try TemplateReference(rest[..<close.lowerBound])))
      rest = rest[close.upperBound...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.parts = parts
  }

  package var references: [TemplateReference] {
    parts.compactMap { if case .value(let reference) = $0 { reference } else { nil } }
  }

  /// True if its own text has characters that a header cannot have.
  package var hasControlCharacters: Bool {
    parts.contains {
      if case .text(let words) = $0 { words.unicodeScalars.contains(where: \.isBarredInHeaders) } else { false }
    }
  }

  /// The only placeholder, if the text has nothing else: its value then keeps its type.
  var soleReference: TemplateReference? {
    guard parts.count == 1, case .value(let reference) = parts[0] else { return nil }
    return reference
  }

  /// The place at which the text is used, which decides how values are encoded.
  enum Place { case plain, url }

  func render(_ scope: TemplateScope, _ place: Place = .plain) throws(MissingValue) -> String {
    var text = ""
    for part in parts {
      switch part {
      case .text(let words): text += words
      case .value(let reference):
        guard let value = scope.value(of: reference) else {
          if reference.isOptional { continue }
          throw MissingValue(reference: reference)
        }
        let words = value.string ?? value.text
        text += place == .url && reference.root != .backend ? PercentCoding.encode(words) : words
      }
    }
    return text
  }
}

/// A placeholder without a value.
package struct MissingValue: Error, Hashable, Sendable {
  package let reference: TemplateReference
}

extension Unicode.Scalar {
  /// True for line breaks and control characters except the tab (RFC 9110, 5.5).
  var isBarredInHeaders: Bool {
    value < 0x20 && value != 0x09 || (0x7F...0x9F).contains(value) || (0x2028...0x2029).contains(value)
  }
}
