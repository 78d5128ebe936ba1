import WireFormats

/// An object that a user wrote, with the keys it may have: the one strict reader of JSON bodies, scenarios and tapes.
/// Every problem names the place of what is wrong.
package struct Fields: Sendable {
  /// Longest text of a single value, in bytes: no sentence repeats more, and nothing keeps more.
  package static let longestText = 1000

  package let node: SourceNode
  /// Such as `a step`, for sentences.
  package let what: String
  package let entries: [SourceNode.Entry]

  /// - Parameter answered: keys that an answer has beside them, so that what is read can be written back; they are
  ///   passed over, and a null then stands for a key that is left out.
  package init(
    _ node: SourceNode, _ what: String, known: [String], answered: [String] = []
  ) throws(InputProblem) {
    self.node = node
    self.what = what
    guard let entries = node.entries else {
      throw InputProblem(
        "\(what) is an object with \(Wording.list(known, "or")).", field: node.place, at: node.place, code: .wrongType)
    }
    self.entries =
      answered.isEmpty ? entries : entries.filter { !answered.contains($0.key) && !$0.value.isNull }
    for entry in entries where !known.contains(entry.key) && !answered.contains(entry.key) {
      throw InputProblem(
        "\(what) has no key \(Wording.quoted(entry.key))"
          + (SpellingSuggestion.nearest(to: entry.key, among: known).map { "; did you mean \($0)?" }
            ?? "; it may have \(Wording.list(known))."),
        field: entry.key, at: entry.place, code: .unknownKey)
    }
  }

  /// Some of the keys, where the others are read elsewhere.
  package func only(_ names: [String]) -> Fields {
    Fields(node, what, entries.filter { names.contains($0.key) })
  }

  private init(_ node: SourceNode, _ what: String, _ entries: [SourceNode.Entry]) {
    self.node = node
    self.what = what
    self.entries = entries
  }

  package subscript(_ name: String) -> SourceNode? { entries.last { $0.key == name }?.value }
  package func has(_ name: String) -> Bool { entries.contains { $0.key == name } }
  package func json(_ name: String) -> JSONValue? { self[name]?.json }

  /// The keys of some that are there, in the order given.
  package func those(of names: [String]) -> [String] { names.filter(has) }

  /// Where a key's value stands; without one, where the object does.
  package func place(_ name: String? = nil) -> String {
    name.flatMap { self[$0]?.place } ?? node.place
  }

  package func placeOfKey(_ name: String) -> String { entries.last { $0.key == name }?.place ?? node.place }

  package func problem(
    _ name: String?, _ sentence: String, code: InputProblem.Code = .invalidValue
  ) -> InputProblem {
    InputProblem(sentence, field: name, at: place(name), code: code)
  }

  /// Refuses keys that have no meaning here.
  ///
  /// - Parameters:
  ///   - subject: what the object is about, such as the name of an action.
  ///   - others: keys that somebody else reads.
  package func takesOnly(
    _ names: [String], because subject: String, beside others: [String] = []
  ) throws(InputProblem) {
    for entry in entries where !names.contains(entry.key) && !others.contains(entry.key) {
      throw InputProblem(
        "\(subject) takes no \(entry.key); it takes \(Wording.list(names)).", field: entry.key,
        at: entry.value.place, code: .contradiction)
    }
  }
}
