import Grammar
import Orders
import WireFormats

/// A query parameter: its name, its type, and how it is read. Each route that takes it adds its meaning there.
struct Parameter<Value>: Sendable {
  typealias Reading = @Sendable (_ fields: Fields, _ name: String) throws(InputProblem) -> Value?

  let name: String
  private let schema: Schema
  private let reading: Reading

  init(_ name: String, _ schema: Schema, reading: @escaping Reading) {
    self.name = name
    self.schema = schema
    self.reading = reading
  }

  func read(_ fields: Fields) throws(InputProblem) -> Value? { try reading(fields, name) }

  /// The parameter of one route, with its meaning there.
  func callAsFunction(_ meaning: String, example: JSONValue? = nil) -> RouteParameter {
    RouteParameter(name, in: .query, schema, meaning: meaning, example: example)
  }
}

extension Parameter<String> {
  static func text(_ name: String, _ schema: Schema = .string) -> Parameter {
    Parameter(name, schema) { (fields, name) throws(InputProblem) in try fields.text(name) }
  }
}

extension Parameter where Value: CaseIterable & RawRepresentable<String> & Sendable {
  /// A parameter whose value is a word of an enumeration.
  static func word(_ name: String, _ schema: Schema? = nil) -> Parameter {
    let choices = Value.allCases.map { (name: $0.rawValue, value: $0) }
    return Parameter(name, schema ?? .words(choices.map(\.name))) { (fields, name) throws(InputProblem) in
      try fields.choice(name, choices)
    }
  }
}

extension Parameter<Bool> {
  static func truth(_ name: String) -> Parameter {
    Parameter(name, .truth) { (fields, name) throws(InputProblem) in try fields.truth(name) }
  }
}
