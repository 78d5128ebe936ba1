import Timeline
import WireFormats

/// How the value of one key is read into its type. A key that is not there gives nil.
extension Fields {
  package func text(_ name: String) throws(InputProblem) -> String? {
    guard let node = self[name] else { return nil }
    guard let text = node.text else { throw problem(name, "\(name) is a string.", code: .wrongType) }
    guard text.utf8.count <= Self.longestText else {
      throw problem(name, "\(name) is at most \(Self.longestText) bytes of text.")
    }
    return text
  }

  /// - Parameter what: what it is, for the sentence that says that it is missing.
  package func needed(_ name: String, _ what: String) throws(InputProblem) -> String {
    guard let text = try text(name) else {
      throw problem(name, "\(name) is needed: \(what).", code: .missingKey)
    }
    return text
  }

  package func truth(_ name: String) throws(InputProblem) -> Bool? {
    guard let value = json(name) else { return nil }
    guard case .bool(let truth) = value else {
      throw problem(name, "\(name) is true or false.", code: .wrongType)
    }
    return truth
  }

  package func number(_ name: String) throws(InputProblem) -> Double? {
    guard let value = json(name) else { return nil }
    guard let number = value.number else { throw problem(name, "\(name) is a number.", code: .wrongType) }
    return number
  }

  package func whole(_ name: String) throws(InputProblem) -> Int64? {
    guard let value = json(name) else { return nil }
    guard case .integer(let number) = value, number >= 0 else {
      throw problem(name, "\(name) is a whole number, not negative.", code: .wrongType)
    }
    return number
  }

  package func whole(_ name: String, _ range: ClosedRange<Int>) throws(InputProblem) -> Int? {
    guard let node = self[name] else { return nil }
    guard let number = node.spelling.flatMap(Values.whole), range.contains(number) else {
      throw problem(name, "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  package func object(_ name: String) throws(InputProblem) -> JSONValue? {
    guard let value = json(name) else { return nil }
    guard value.members != nil else { throw problem(name, "\(name) is an object.", code: .wrongType) }
    return value
  }

  /// Seconds since 1970, as payloads have them.
  package func instant(_ name: String) throws(InputProblem) -> Instant? {
    guard let seconds = try number(name) else { return nil }
    guard abs(seconds) < 9e9 else {
      throw problem(name, "\(name) is a date in seconds since 1970; this looks like milliseconds.")
    }
    return Instant(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// Such as `90s`, or a number of seconds.
  package func duration(_ name: String) throws(InputProblem) -> Duration? {
    guard let node = self[name] else { return nil }
    if let duration = Self.duration(node) { return duration }
    throw problem(name, "\(name) is a duration such as 90s or 500ms, or a number of seconds.")
  }

  /// Nil for what is no duration.
  package static func duration(_ node: SourceNode) -> Duration? {
    if let text = node.text { return DurationText.parse(text) }
    guard let seconds = node.json.number, (0...100_000_000).contains(seconds) else { return nil }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }

  package func share(_ name: String) throws(InputProblem) -> Odds? {
    guard let value = json(name) else { return nil }
    guard let share = value.string.flatMap({ Share($0) }) ?? value.number.flatMap({ Share($0) }) else {
      throw problem(name, "\(name) is \(Share.wanted).")
    }
    return share.odds
  }

  /// One of several words.
  package func choice<Value>(
    _ name: String, _ choices: [(name: String, value: Value)]
  ) throws(InputProblem) -> Value? {
    guard let node = self[name] else { return nil }
    let names = choices.map(\.name)
    guard let text = node.spelling else {
      throw problem(name, "\(name) is a string: \(Wording.list(names, "or")).", code: .wrongType)
    }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    throw problem(
      name,
      "\(name) cannot be \(Wording.quoted(text))"
        + (SpellingSuggestion.nearest(to: text, among: names).map { "; did you mean \($0)?" }
          ?? "; it is one of \(Wording.list(names, "or")).")
    )
  }

  package func neededChoice<Value>(
    _ name: String, _ choices: [(name: String, value: Value)]
  ) throws(InputProblem) -> Value {
    guard let value = try choice(name, choices) else {
      throw problem(name, "\(name) is needed: \(Wording.list(choices.map(\.name), "or")).", code: .missingKey)
    }
    return value
  }

  package func word(_ name: String, among names: [String]) throws(InputProblem) -> String? {
    try choice(name, names.map { (name: $0, value: $0) })
  }

  /// A single value as it is written.
  package func spelling(_ name: String) throws(InputProblem) -> String? {
    guard let node = self[name] else { return nil }
    guard let text = node.spelling, !node.isNull, !text.isEmpty else {
      throw problem(name, "\(name) takes a single value.", code: .wrongType)
    }
    return text
  }

  /// `5`, or a range such as `10..20` or `10..`.
  package func count(_ name: String) throws(InputProblem) -> ClosedRange<Int>? {
    guard let text = try spelling(name) else { return nil }
    guard let range = Values.count(text) else {
      throw problem(
        name, "\(name) is a whole number, or a range such as 10..20 or 10.., not \(Wording.quoted(text)).")
    }
    return range
  }

  /// One value, or a list of them.
  package func texts(_ name: String) throws(InputProblem) -> [String]? {
    guard let node = self[name] else { return nil }
    guard let elements = node.elements else { return [try spelling(name) ?? ""] }
    var texts: [String] = []
    for element in elements {
      guard let text = element.spelling else {
        throw InputProblem("\(name) takes a single value.", field: name, at: element.place, code: .wrongType)
      }
      texts.append(text)
    }
    return texts
  }
}
