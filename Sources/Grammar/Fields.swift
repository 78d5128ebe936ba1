import WireFormats

/// An object that a user wrote, with the keys it may have. The one strict reader of JSON bodies, scenarios and tapes.
/// Every problem names its place.
package struct Fields: Sendable {
  /// Maximum length of a single value, in bytes. Longer texts are neither repeated in sentences nor stored.
  package static let longestText = 1000
  /// Characters of a line that is cut.
  static let longestLine = 300

  package let node: SourceNode
  /// The kind of the object, such as `a step`, for sentences.
  package let what: String
  package let entries: [SourceNode.Entry]

  /// - Parameter answered: further keys that responses have, so that a response can be sent back. They are ignored, and
  ///   a null has the same meaning as a missing key.
  package init(
    _ node: SourceNode, _ what: String, known: [String], answered: [String] = []
  ) throws(InputProblem) {
    self.node = node
    self.what = what
    guard let entries = node.entries else {
      throw InputProblem(
        "\(what) must be an object with \(Wording.list(known, "or")).", field: node.place, at: node.place,
        code: .wrongType)
    }
    self.entries =
      answered.isEmpty ? entries : entries.filter { !answered.contains($0.key) && !$0.value.isNull }
    for entry in entries where !known.contains(entry.key) && !answered.contains(entry.key) {
      throw InputProblem(
        "\(what) has no key \(Wording.quoted(entry.key))"
          + (SpellingSuggestion.nearest(to: entry.key, among: known).map { "; did you mean \($0)?" }
            ?? "; valid keys are \(Wording.list(known))."),
        field: entry.key, at: entry.place, code: .unknownKey)
    }
  }

  /// Only some of the keys; another reader reads the others.
  package func only(_ names: [String]) -> Fields {
    Fields(node, what: what, entries: entries.filter { names.contains($0.key) })
  }

  private init(_ node: SourceNode, what: String, entries: [SourceNode.Entry]) {
    self.node = node
    self.what = what
    self.entries = entries
  }

  package subscript(_ name: String) -> SourceNode? { entries.last { $0.key == name }?.value }
  package func has(_ name: String) -> Bool { entries.contains { $0.key == name } }
  package func json(_ name: String) -> JSONValue? { self[name]?.json }

  /// The names that are present, in the given order.
  package func those(of names: [String]) -> [String] { names.filter(has) }

  /// The place of a key's value, or of the object if the key is missing.
  package func place(_ name: String? = nil) -> String {
    name.flatMap { self[$0]?.place } ?? node.place
  }

  package func placeOfKey(_ name: String) -> String { entries.last { $0.key == name }?.place ?? node.place }

  package func problem(
    _ name: String?, _ sentence: String, code: InputProblem.Code = .invalidValue
  ) -> InputProblem {
    InputProblem(sentence, field: name, at: place(name), code: code)
  }

  /// Rejects keys that have no meaning here.
  ///
  /// - Parameters:
  ///   - subject: what the object is about, such as the name of an action.
  ///   - others: keys that another reader reads.
  package func takesOnly(
    _ names: [String], because subject: String, beside others: [String] = []
  ) throws(InputProblem) {
    for entry in entries where !names.contains(entry.key) && !others.contains(entry.key) {
      throw InputProblem(
        "\(entry.key) is not valid for \(subject)"
          + (SpellingSuggestion.nearest(to: entry.key, among: names).map { "; did you mean \($0)?" }
            ?? "; valid keys are \(Wording.list(names))."),
        field: entry.key,
        at: entry.value.place, code: .contradiction)
    }
  }
}
