import Grammar
import WireFormats

/// An entry of a list of a state folder.
///
/// A member that is not as Pushpit writes it is an error. Read as missing, it would mean less than it said: a key
/// without its restriction, or a certificate that is not revoked.
struct StateEntry {
  /// Flaw of an entry, as a sentence that names it.
  struct Flaw: Error, CustomStringConvertible {
    let description: String
  }

  /// Place in the list, such as `keys[2]`.
  private let place: String
  private let members: [JSONValue.Member]

  init(_ value: JSONValue, at place: String, known: [String]) throws(Flaw) {
    self.place = place
    members = value.members ?? []
    guard value.members != nil else { throw flaw("must be an object with \(Wording.list(known)).") }
    var names: Set<String> = []
    for name in members.map(\.key) {
      guard known.contains(name) else {
        throw flaw("has no member \(Wording.quoted(name)); valid are \(Wording.list(known)).")
      }
      guard names.insert(name).inserted else { throw flaw("has \(name) more than once.") }
    }
  }

  func flaw(_ predicate: String) -> Flaw { Flaw(description: "\(place) \(predicate)") }

  private subscript(name: String) -> JSONValue? { members.first { $0.key == name }?.value }

  /// A text; nil if it is null or missing.
  func text(_ name: String) throws(Flaw) -> String? {
    guard let value = self[name], value != .null else { return nil }
    guard let text = value.string else { throw flaw("has a wrong \(name): it must be a string.") }
    return text
  }

  func neededText(_ name: String) throws(Flaw) -> String {
    guard let text = try text(name) else { throw flaw("needs \(name), a string.") }
    return text
  }

  /// A list of texts; nil if it is missing.
  ///
  /// - Parameter words: the valid ones; nil for any.
  func texts(_ name: String, among words: [String]? = nil) throws(Flaw) -> [String]? {
    guard let value = self[name] else { return nil }
    let texts = value.elements?.compactMap(\.string)
    guard let texts, texts.count == value.elements?.count, words.map({ Set($0).isSuperset(of: texts) }) ?? true else {
      let valid = words.map { Wording.list($0) } ?? "strings"
      throw flaw("has wrong \(name): it must be a list of \(valid).")
    }
    return texts
  }

  /// True or false; nil if it is missing.
  func truth(_ name: String) throws(Flaw) -> Bool? {
    guard let value = self[name] else { return nil }
    guard let truth = value.truth else { throw flaw("has a wrong \(name): it must be true or false.") }
    return truth
  }

  func neededTruth(_ name: String) throws(Flaw) -> Bool {
    guard let truth = try truth(name) else { throw flaw("needs \(name), true or false.") }
    return truth
  }

  func neededInteger(_ name: String) throws(Flaw) -> Int64 {
    guard let number = self[name]?.integer else { throw flaw("needs \(name), a whole number.") }
    return number
  }
}
