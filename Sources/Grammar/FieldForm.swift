import Timeline
import WireFormats

/// The form of a key's value: what is valid, how it is read, and how it is written.
package struct FieldForm<Value: Sendable>: Sendable {
  package typealias Reading = @Sendable (_ fields: Fields, _ name: String) throws(InputProblem) -> Value?

  package let type: ValueType
  /// The type as the OpenAPI document has it.
  package let schema: Schema
  /// The value in words, for the sentence that says that it is missing.
  let wanted: String
  /// Nil for a missing key.
  package let read: Reading
  package let write: @Sendable (Value) -> JSONValue

  package init(
    _ type: ValueType, as schema: Schema? = nil, wanted: String = "", read: @escaping Reading,
    write: @escaping @Sendable (Value) -> JSONValue
  ) {
    self.type = type
    self.schema = schema ?? Schema(type)
    self.wanted = wanted
    self.read = read
    self.write = write
  }

  /// - Parameter read: a method of `Fields`.
  package init(
    _ type: ValueType, by read: @escaping @Sendable (Fields) -> (_ name: String) throws(InputProblem) -> Value?,
    wanted: String = "", write: @escaping @Sendable (Value) -> JSONValue
  ) {
    let reading: Reading = { (fields, name) throws(InputProblem) in try read(fields)(name) }
    self.init(type, wanted: wanted, read: reading, write: write)
  }

  /// A value that is chosen from several words.
  package static func choice(_ choices: [(name: String, value: Value)], as type: ValueType? = nil) -> FieldForm
  where Value: Equatable {
    let names = choices.map(\.name)
    return FieldForm(type ?? .words(names), wanted: Wording.list(names, "or")) { (fields, name) throws(InputProblem) in
      try fields.choice(name, choices)
    } write: { value in
      JSONValue(choices.first { $0.value == value }?.name)
    }
  }
}

extension FieldForm where Value: CaseIterable & RawRepresentable<String> & Equatable {
  /// A word of an enumeration.
  package static func word(as type: ValueType? = nil) -> FieldForm {
    choice(Value.allCases.map { (name: $0.rawValue, value: $0) }, as: type)
  }
}

extension FieldForm<String> {
  package static var text: FieldForm { text() }

  package static func text(as type: ValueType = .text(), wanted: String = "") -> FieldForm {
    FieldForm(type, by: Fields.text, wanted: wanted, write: JSONValue.string)
  }

  /// A word from a list.
  package static func word(among words: [String], as type: ValueType? = nil) -> FieldForm {
    choice(words.map { (name: $0, value: $0) }, as: type)
  }
}

extension FieldForm<Bool> {
  package static var truth: FieldForm {
    FieldForm(.truth, by: Fields.truth, wanted: "true or false", write: JSONValue.bool)
  }
}

extension FieldForm<Double> {
  package static var number: FieldForm { FieldForm(.number, by: Fields.number, write: JSONValue.double) }
}

extension FieldForm where Value: FixedWidthInteger {
  package static var whole: FieldForm {
    FieldForm(.anyWhole) { (fields, name) throws(InputProblem) in
      try fields.whole(name).map { Value(clamping: $0) }
    } write: {
      .integer(Int64(clamping: $0))
    }
  }
}

extension FieldForm<Int> {
  package static func whole(_ range: ClosedRange<Int>) -> FieldForm {
    FieldForm(.whole(range)) { (fields, name) throws(InputProblem) in
      try fields.whole(name, range)
    } write: {
      JSONValue($0)
    }
  }
}

extension FieldForm<Duration> {
  /// A negative one gets a sign, which most readers reject.
  package static var duration: FieldForm {
    FieldForm(.duration, by: Fields.duration) {
      .string($0 < .zero ? "-" + DurationText.exact(.zero - $0) : DurationText.exact($0))
    }
  }
}

extension FieldForm<Instant> {
  /// Seconds since 1970, as in payloads.
  package static var instant: FieldForm {
    FieldForm(.seconds, by: Fields.instant) {
      $0.nanoseconds % 1_000_000_000 == 0
        ? .integer($0.nanoseconds / 1_000_000_000) : .double(Double($0.nanoseconds) / 1e9)
    }
  }
}

extension FieldForm<JSONValue> {
  package static var object: FieldForm { object() }

  package static func object(wanted: String = "") -> FieldForm {
    FieldForm(.object, by: Fields.object, wanted: wanted) { $0 }
  }
}
