import Timeline
import WireFormats
import Yams

/// A mapping of a scenario file, with the keys it may have. Every complaint names the place of what is wrong.
struct ScenarioFields {
  let file: SettingsFile
  let node: Node
  /// Such as `a step`.
  let what: String
  private var entries: [String: (key: Node, value: Node)] = [:]

  init(_ node: Node, _ what: String, _ file: SettingsFile, known: [String]) throws(ConfigurationProblem) {
    self.file = file
    self.node = node
    self.what = what
    guard let mapping = node.mapping else {
      throw ConfigurationProblem(file.place(node), "\(what) holds keys and values; the keys are \(Self.list(known)).")
    }
    for (key, value) in mapping {
      guard let word = key.string, known.contains(word) else {
        let word = key.string ?? "?"
        let near = Spelling.nearest(to: word, among: known).map { "did you mean \($0)?" }
        throw ConfigurationProblem(
          file.place(key), "\(what) has no key \(word); \(near ?? "it may have \(Self.list(known)).")")
      }
      entries[word] = (key, value)
    }
  }

  static func list(_ words: [String], _ last: String = "and") -> String {
    guard words.count > 1, let end = words.last else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " \(last) \(end)"
  }

  subscript(_ name: String) -> Node? { entries[name]?.value }
  func has(_ name: String) -> Bool { entries[name] != nil }

  /// The keys of some that are there, in the order given.
  func those(of names: [String]) -> [String] { names.filter { entries[$0] != nil } }

  /// Where a key's value is written; without one, where the mapping is.
  func place(_ name: String? = nil) -> String {
    guard let name else { return file.place(node) }
    return file.place(entries[name]?.value ?? node)
  }

  func placeOfKey(_ name: String) -> String { file.place(entries[name]?.key ?? node) }

  func problem(_ name: String?, _ sentence: String) -> ConfigurationProblem {
    ConfigurationProblem(place(name), sentence)
  }

  func text(_ name: String) throws(ConfigurationProblem) -> String? {
    guard let value = self[name] else { return nil }
    guard let scalar = value.scalar, !scalar.string.isEmpty else {
      throw problem(name, "\(name) takes a single value.")
    }
    return scalar.string
  }

  func duration(_ name: String) throws(ConfigurationProblem) -> Duration? {
    guard let text = try text(name) else { return nil }
    guard let duration = DurationText.parse(text) else {
      throw problem(name, "\(name) is a duration such as 90s, 20m, 1h30m or 500ms, not \"\(text)\".")
    }
    return duration
  }

  func whole(_ name: String, _ range: ClosedRange<Int>) throws(ConfigurationProblem) -> Int? {
    guard let text = try text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw problem(name, "\(name) is a whole number from \(range.words), not \"\(text)\".")
    }
    return number
  }

  /// `5`, or a range such as `10..20` or `10..`.
  func count(_ name: String) throws(ConfigurationProblem) -> ClosedRange<Int>? {
    guard let text = try text(name) else { return nil }
    guard let range = Self.range(text) else {
      throw problem(name, "\(name) is a whole number, or a range such as 10..20 or 10.., not \"\(text)\".")
    }
    return range
  }

  static func range(_ text: String) -> ClosedRange<Int>? {
    if let number = Int(text), number >= 0 { return number...number }
    guard let dots = text.firstRange(of: ".."), let low = Int(text[..<dots.lowerBound]), low >= 0 else { return nil }
    if dots.upperBound == text.endIndex { return low...Int.max }
    guard let high = Int(text[dots.upperBound...]), high >= low else { return nil }
    return low...high
  }

  /// One of several words.
  func choice<Value>(
    _ name: String, _ choices: [(name: String, value: Value)]
  ) throws(ConfigurationProblem) -> Value? {
    guard let text = try text(name) else { return nil }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    let names = choices.map(\.name)
    let near = Spelling.nearest(to: text, among: names).map { "did you mean \($0)?" }
    throw problem(name, "\(name) cannot be \"\(text)\"; \(near ?? "it is one of \(Self.list(names, "or")).")")
  }

  func word(_ name: String, among names: [String]) throws(ConfigurationProblem) -> String? {
    try choice(name, names.map { (name: $0, value: $0) })
  }

  /// One value, or a list of them.
  func texts(_ name: String) throws(ConfigurationProblem) -> [String]? {
    guard let value = self[name] else { return nil }
    return value.sequence == nil ? [try file.scalar(value, name)] : try file.strings(value, name)
  }
}

extension ClosedRange<Int> {
  fileprivate var words: String { "\(lowerBound) to \(upperBound)" }
}
