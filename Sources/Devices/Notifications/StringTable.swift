/// An app's strings by language, as its `Localizable.strings` files hold them.
package struct StringTable: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package let key: String
    package let text: String

    package init(_ key: String, _ text: String) {
      self.key = key
      self.text = text
    }
  }

  package struct Language: Hashable, Sendable {
    /// As iOS writes it: `en`, `de-AT`.
    package let code: String
    package let entries: [Entry]

    package init(_ code: String, _ entries: [Entry]) {
      self.code = code
      self.entries = entries
    }

    /// The first entry of that key.
    fileprivate func text(_ key: String) -> String? { entries.first { $0.key == key }?.text }
  }

  /// The first is the app's development language.
  package let languages: [Language]

  package init(_ languages: [Language] = []) { self.languages = languages }

  /// The text of a key in a language; nil if no candidate language has it.
  ///
  /// Assumed order: the language, the language without its region, the development language.
  package func text(_ key: String, in language: String) -> String? {
    let base = language.prefix { $0 != "-" && $0 != "_" }
    let asked = [
      languages.first { $0.code == language }, languages.first { $0.code == base }, languages.first,
    ]
    return asked.lazy.compactMap { $0?.text(key) }.first
  }
}
