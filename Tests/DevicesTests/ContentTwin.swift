import Devices
import Foundation
import Testing
import WireFormats

/// A Swift type and the schema that a profile would declare for it.
struct ContentTwin: CustomTestStringConvertible, Sendable {
  let name: String
  let schema: String
  let inputs: [String]
  let decodes: @Sendable (Data) -> Bool

  var testDescription: String { name }

  init<Content: Decodable & SendableMetatype>(
    _ name: String, _ type: Content.Type, _ schema: String, _ inputs: [String]
  ) {
    self.name = name
    self.schema = schema
    self.inputs = inputs
    decodes = { data in (try? JSONDecoder().decode(Content.self, from: data)) != nil }
  }

  static func decoder(_ schema: String) throws -> ContentDecoder {
    ContentDecoder(try ContentSchema(JSONValue.parse(Array(schema.utf8))))
  }

  /// Bytes that are no JSON decode into nothing.
  static func accepts(_ decoder: ContentDecoder, _ text: String) -> Bool {
    do throws(JSONProblem) {
      return try JSONNode.read(Array(text.utf8)) { decoder.check($0) == nil }
    } catch {
      return false
    }
  }

  /// Both verdicts on every input are the same, and neither is the same for all.
  func compare() throws {
    let decoder = try Self.decoder(schema)
    var accepted = 0
    for input in inputs {
      let expected = decodes(Data(input.utf8))
      accepted += expected ? 1 : 0
      #expect(
        Self.accepts(decoder, input) == expected, "\(name): \(input), JSONDecoder \(expected ? "takes" : "refuses")")
    }
    #expect(accepted > 0 && accepted < inputs.count, "\(name): a table with one verdict shows nothing")
  }
}

/// A type with one property `a`, which is what most rules are about.
struct One<Value: Decodable>: Decodable { let a: Value }

/// The compiler decodes a property with `decodeIfPresent` only where it sees that it is optional.
struct OneOptional<Value: Decodable>: Decodable { let a: Value? }

extension ContentTwin {
  /// The schema of `One` over a type, and inputs that are values of `a`.
  static func one<Value: Decodable & SendableMetatype>(
    _ type: Value.Type, _ schema: String, _ values: [String]
  ) -> ContentTwin {
    ContentTwin(schema, One<Value>.self, object(schema), inputs(values))
  }

  static func optional<Value: Decodable & SendableMetatype>(
    _ type: Value.Type, _ schema: String, _ values: [String]
  ) -> ContentTwin {
    ContentTwin(schema, OneOptional<Value>.self, object(schema), inputs(values))
  }

  private static func object(_ schema: String) -> String { #"{"type":"object","properties":{"a":\#(schema)}}"# }

  private static func inputs(_ values: [String]) -> [String] {
    values.map { #"{"a":\#($0)}"# } + ["{}", #"{"A":null}"#]
  }
}
