import Timeline
import WireFormats

/// Reads the value of one key as a type. A missing key gives nil.
extension Fields {
  package func text(_ name: String) throws(InputProblem) -> String? {
    guard let node = self[name] else { return nil }
    guard let text = node.text else { throw problem(name, "\(name) must be a string.", code: .wrongType) }
    guard text.utf8.count <= Self.longestText else {
      throw problem(name, "\(name) must be at most \(Self.longestText) bytes long.")
    }
    return text
  }

  /// The beginning of the first line of a text of any length.
  package func line(_ name: String) throws(InputProblem) -> String? {
    guard let node = self[name] else { return nil }
    guard let text = node.text else { throw problem(name, "\(name) must be a string.", code: .wrongType) }
    var line = text.drop(while: \.isNewline).prefix { !$0.isNewline }.prefix(Self.longestLine)
    // A character can have any number of marks.
    while line.utf8.count > Self.longestText { line.removeLast() }
    return String(line)
  }

  /// - Parameter what: what the value is, for the error sentence when it is missing.
  package func needed(_ name: String, _ what: String) throws(InputProblem) -> String {
    guard let text = try text(name) else {
      throw problem(name, "\(name) is required: \(what).", code: .missingKey)
    }
    return text
  }

  package func truth(_ name: String) throws(InputProblem) -> Bool? {
    guard let value = json(name) else { return nil }
    guard case .bool(let truth) = value else {
      throw problem(name, "\(name) must be true or false.", code: .wrongType)
    }
    return truth
  }

  package func number(_ name: String) throws(InputProblem) -> Double? {
    guard let value = json(name) else { return nil }
    guard let number = value.number else { throw problem(name, "\(name) must be a number.", code: .wrongType) }
    return number
  }

  package func whole(_ name: String) throws(InputProblem) -> Int64? {
    guard let value = json(name) else { return nil }
    guard case .integer(let number) = value, number >= 0 else {
      throw problem(name, "\(name) must be a whole number, 0 or more.", code: .wrongType)
    }
    return number
  }

  package func whole(_ name: String, _ range: ClosedRange<Int>) throws(InputProblem) -> Int? {
    guard let node = self[name] else { return nil }
    guard let number = node.spelling.flatMap(Values.whole), range.contains(number) else {
      throw problem(name, "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  package func object(_ name: String) throws(InputProblem) -> JSONValue? {
    guard let value = json(name) else { return nil }
    guard value.members != nil else { throw problem(name, "\(name) must be an object.", code: .wrongType) }
    return value
  }

  /// Seconds since 1970, as in payloads.
  package func instant(_ name: String) throws(InputProblem) -> Instant? {
    guard let seconds = try number(name) else { return nil }
    guard abs(seconds) < 9e9 else {
      throw problem(name, "\(name) must be in seconds since 1970; this value looks like milliseconds.")
    }
    return Instant(nanoseconds: Int64((seconds * 1e9).rounded()))
  }

  /// A duration such as `90s`, or a number of seconds.
  package func duration(_ name: String) throws(InputProblem) -> Duration? {
    guard let node = self[name] else { return nil }
    if let duration = Self.duration(node) { return duration }
    let isTooLong = node.text.map(DurationText.isTooLong) ?? (node.json.number.map { $0 > 0 } ?? false)
    throw problem(
      name,
      isTooLong
        ? "\(name) must be at most \(DurationText.write(DurationText.longest))."
        : "\(name) must be a duration such as 90s or 500ms, or a number of seconds.")
  }

  /// Nil for anything that is not a duration.
  package static func duration(_ node: SourceNode) -> Duration? {
    if let text = node.text { return DurationText.parse(text) }
    guard let seconds = node.json.number, (0...DurationText.longest / .seconds(1)).contains(seconds) else { return nil }
    return .nanoseconds(Int64((seconds * 1e9).rounded()))
  }

  package func share(_ name: String) throws(InputProblem) -> Odds? {
    guard let value = json(name) else { return nil }
    guard let share = value.string.flatMap({ Share($0) }) ?? value.number.flatMap({ Share($0) }) else {
      throw problem(name, "\(name) must be \(Share.wanted).")
    }
    return share.odds
  }

  /// Reads a value that must be one of several words.
  package func choice<Value>(
    _ name: String, _ choices: [(name: String, value: Value)]
  ) throws(InputProblem) -> Value? {
    guard let node = self[name] else { return nil }
    let names = choices.map(\.name)
    guard let text = node.spelling else {
      throw problem(name, "\(name) must be one of \(Wording.list(names, "or")).", code: .wrongType)
    }
    if let choice = choices.first(where: { $0.name == text }) { return choice.value }
    throw problem(
      name,
      "\(name) cannot be \(Wording.quoted(text))"
        + (SpellingSuggestion.nearest(to: text, among: names).map { "; did you mean \($0)?" }
          ?? "; valid values are \(Wording.list(names, "and")).")
    )
  }

  package func neededChoice<Value>(
    _ name: String, _ choices: [(name: String, value: Value)]
  ) throws(InputProblem) -> Value {
    guard let value = try choice(name, choices) else {
      throw problem(name, "\(name) is required: \(Wording.list(choices.map(\.name), "or")).", code: .missingKey)
    }
    return value
  }

  package func word(_ name: String, among names: [String]) throws(InputProblem) -> String? {
    try choice(name, names.map { (name: $0, value: $0) })
  }

  /// A single value as it was written.
  package func spelling(_ name: String) throws(InputProblem) -> String? {
    guard let node = self[name] else { return nil }
    guard let text = node.spelling, !node.isNull else {
      throw problem(name, "\(name) must be a single value.", code: .wrongType)
    }
    guard !text.isEmpty else { throw problem(name, "\(name) must not be empty.") }
    return text
  }

  /// `5`, or a range such as `10..20` or `10..`.
  package func count(_ name: String) throws(InputProblem) -> ClosedRange<Int>? {
    guard let text = try spelling(name) else { return nil }
    guard let range = Values.count(text) else {
      throw problem(
        name, "\(name) must be a whole number, or a range such as 10..20 or 10.., not \(Wording.quoted(text)).")
    }
    return range
  }

  /// Reads a single value, or a list of values.
  package func texts(_ name: String) throws(InputProblem) -> [String]? {
    guard let node = self[name] else { return nil }
    guard let elements = node.elements else { return [try spelling(name) ?? ""] }
    var texts: [String] = []
    for element in elements {
      guard let text = element.spelling else {
        throw InputProblem("\(name) must be a list of single values.", field: name, at: element.place, code: .wrongType)
      }
      texts.append(text)
    }
    return texts
  }
}
