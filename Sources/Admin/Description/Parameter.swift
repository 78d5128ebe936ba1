import Grammar
import Orders
import WireFormats

/// A query parameter: its name, its type, and how it is read. Each route that takes it adds its meaning there.
struct Parameter<Value: Sendable>: Sendable {
  typealias Reading = @Sendable (_ fields: Fields, _ name: String) throws(InputProblem) -> Value?

  let name: String
  private let schema: Schema
  private let reading: Reading

  init(_ name: String, _ schema: Schema, reading: @escaping Reading) {
    self.name = name
    self.schema = schema
    self.reading = reading
  }

  /// - Parameter schema: instead of the one that follows from the form.
  init(_ name: String, as form: FieldForm<Value>, _ schema: Schema? = nil) {
    self.init(name, schema ?? form.schema, reading: form.read)
  }

  func read(_ fields: Fields) throws(InputProblem) -> Value? { try reading(fields, name) }

  /// The parameter of one route, with its meaning there.
  func callAsFunction(_ meaning: String, example: JSONValue? = nil, opposite: String? = nil) -> RouteParameter {
    RouteParameter(name, in: .query, schema, meaning: meaning, example: example, opposite: opposite)
  }
}
