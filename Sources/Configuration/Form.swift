import Grammar
import WireFormats

/// The text form of a type's values: reads and writes them.
struct Form<Value: Sendable>: Sendable {
  /// The format of a value, for help: `duration`, `wall|manual`; empty for true or false.
  let shape: String
  /// True if a YAML list is accepted.
  let isList: Bool
  /// The type of a single value in the published schema; nil for values with a separate syntax.
  let type: ValueType?
  let read: @Sendable (String) throws -> Value
  /// Writes a value so that `read` accepts it; empty for a missing value.
  let write: @Sendable (Value) -> String

  init(
    _ shape: String, isList: Bool = false, type: ValueType? = nil, read: @escaping @Sendable (String) throws -> Value,
    write: @escaping @Sendable (Value) -> String
  ) {
    self.shape = shape
    self.type = type
    self.isList = isList
    self.read = read
    self.write = write
  }

  /// The form of a value that is chosen from several words.
  static func choice(_ words: KeyValuePairs<String, Value>) -> Form where Value: Hashable {
    let table = words.map { (word: $0.key, value: $0.value) }
    return Form(table.map(\.word).joined(separator: "|"), type: .words(table.map(\.word))) { text in
      for entry in table where entry.word == text { return entry.value }
      throw ValueProblem(text, among: table.map(\.word))
    } write: { value in
      table.first { $0.value == value }?.word ?? ""
    }
  }
}

extension Form where Value: RawRepresentable & CaseIterable & Hashable, Value.RawValue == String {
  /// The form of an enumeration whose words are its raw values.
  static var word: Form {
    let words = Value.allCases.map(\.rawValue)
    return Form(words.joined(separator: "|"), type: .words(words)) { text in
      guard let value = Value(rawValue: text) else {
        throw ValueProblem(text, among: words)
      }
      return value
    } write: {
      $0.rawValue
    }
  }
}

extension Form {
  /// A value, or a word that means none.
  static func optional<Wrapped>(_ word: String, or form: Form<Wrapped>) -> Form where Value == Wrapped? {
    Form("\(word)|\(form.shape)", type: form.type.map { .either([.words([word]), $0]) }) { text in
      if text == word { return nil }
      do {
        return try form.read(text)
      } catch let problem as ValueProblem {
        let near = problem.near ?? SpellingSuggestion.nearest(to: text, among: [word])
        throw ValueProblem(wanted: "\(word), or \(problem.wanted)", near: near)
      }
    } write: {
      $0.map(form.write) ?? word
    }
  }

  /// A value that may be absent, but cannot be set to absent.
  static func ifAny<Wrapped>(_ form: Form<Wrapped>) -> Form where Value == Wrapped? {
    Form(
      form.shape, isList: form.isList, type: form.type, read: { try form.read($0) },
      write: { $0.map(form.write) ?? "" })
  }
}
