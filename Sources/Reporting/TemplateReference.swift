import APNs
import Timeline
import WireFormats

/// A placeholder of a template: `attributes.matchId`, or with a trailing `?` one that may be missing.
package struct TemplateReference: Hashable, Sendable, CustomStringConvertible {
  package let root: ReferenceRoot
  /// The names after the root, such as `matchId`.
  package let path: [String]
  package let isOptional: Bool

  package init(_ text: some StringProtocol) throws(TemplateProblem) {
    let trimmed = text.drop { $0 == " " }
    let end = trimmed.lastIndex { $0 != " " }
    var words = String(end.map { trimmed[...$0] } ?? trimmed[...])
    isOptional = words.hasSuffix("?")
    if isOptional { words.removeLast() }
    let parts = words.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.allSatisfy({ !$0.isEmpty }), let first = parts.first else {
      throw TemplateProblem("{{\(text)}} is empty; use a value such as {{token.hex}}.")
    }
    guard let root = ReferenceRoot(rawValue: first) else {
      throw TemplateProblem(
        "{{\(words)}}: there is no value \(first)" + Self.hint(first, among: ReferenceRoot.allCases.map(\.rawValue)))
    }
    let path = Array(parts.dropFirst())
    if let members = root.members {
      guard !members.isEmpty else {
        guard path.isEmpty else {
          throw TemplateProblem("{{\(words)}}: \(first) is a single value; write {{\(first)}}.")
        }
        self.root = root
        self.path = path
        return
      }
      guard let member = path.first, members.contains(member) else {
        throw TemplateProblem(
          "{{\(words)}}: \(first) has no \(path.first ?? "value")"
            + Self.hint(path.first ?? "", among: members))
      }
      if path.count > 1, member != "startTokens", member != "payload" {
        throw TemplateProblem("{{\(words)}}: \(first).\(member) is a single value.")
      }
    } else if path.isEmpty, root != .answer, root != .contentState, root != .attributes {
      throw TemplateProblem("{{\(words)}}: say which, such as {{\(first).name}}.")
    }
    self.root = root
    self.path = path
  }

  static func hint(_ word: String, among known: [String]) -> String {
    if let near = SpellingSuggestion.nearest(to: word, among: known) { return "; did you mean \(near)?" }
    return "; there are \(known.joined(separator: ", "))."
  }

  package var description: String { ([root.rawValue] + path).joined(separator: ".") }

  /// Looks up the path in a value.
  func find(in value: JSONValue?) -> JSONValue? {
    var value = value
    for step in path {
      if let elements = value?.elements {
        value = Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      } else {
        value = value?[step]
      }
    }
    return value == .null ? nil : value
  }
}

/// A mistake in a template, as a sentence for its author.
package struct TemplateProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The source of a value: the first word of `{{token.hex}}`.
package enum ReferenceRoot: String, CaseIterable, Hashable, Sendable {
  case backend, device, install, user, event, time
  case token, attributesType, service
  case activity, attributes, contentState
  case value, error, notification, reply, link
  case arg, answer, status

  /// Available at every event.
  static let general: [ReferenceRoot] = [.backend, .device, .install, .user, .event, .time]

  /// The members it has; nil for any, empty for none.
  var members: [String]? {
    switch self {
    case .backend, .event, .attributesType, .service, .value, .error, .reply, .link, .status: []
    case .device: ["id", "number", "os"]
    case .install: ["bundleId", "environment", "idfv", "launches", "startTokens", "token"]
    case .user: ["id", "session"]
    case .time: ["iso", "milliseconds", "unix"]
    case .token: ["base64", "hex"]
    case .activity: ["attributesType", "id", "startedBy", "state"]
    case .notification: ["body", "number", "payload", "title"]
    case .attributes, .contentState, .arg, .answer: nil
    }
  }
}

/// The values for the templates of one event.
package struct TemplateScope: Hashable, Sendable {
  private var values: [ReferenceRoot: JSONValue] = [:]

  package init() {}

  package subscript(root: ReferenceRoot) -> JSONValue? {
    get { values[root] }
    set { values[root] = newValue }
  }

  /// True if a value exists and is neither false nor 0.
  package func holds(_ reference: TemplateReference) -> Bool { value(of: reference)?.isTrue ?? false }

  func value(of reference: TemplateReference) -> JSONValue? { reference.find(in: values[reference.root]) }
}
