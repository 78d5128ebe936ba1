import WireFormats

/// A JSON value of the admin API. In code it is written as a literal: `["limit": 2]`.
public struct JSON: Hashable, Sendable, CustomStringConvertible {
  package let value: JSONValue

  package init(value: JSONValue) { self.value = value }

  public init(_ text: String) { value = .string(text) }
  public init(_ number: Int) { value = .integer(Int64(number)) }
  public init(_ number: Double) { value = .double(number) }
  public init(_ truth: Bool) { value = .bool(truth) }
  public init(_ elements: [JSON]) { value = .array(elements.map(\.value)) }
  public init(_ members: [String: JSON]) {
    value = .object(members.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.value) })
  }

  /// The member of an object; null if it has no such member.
  public subscript(name: String) -> JSON { JSON(value: value[name] ?? .null) }

  /// The element of an array; null if the array is shorter.
  public subscript(index: Int) -> JSON {
    guard let elements = value.elements, elements.indices.contains(index) else { return nil }
    return JSON(value: elements[index])
  }

  static let null: JSON = nil

  public var isNull: Bool { value == .null }
  public var string: String? { value.string }
  public var int: Int? { value.integer.flatMap { Int(exactly: $0) } }
  public var double: Double? { value.number }
  public var bool: Bool? { if case .bool(let truth) = value { truth } else { nil } }
  public var array: [JSON]? { value.elements.map { $0.map { JSON(value: $0) } } }
  /// The members of an object; if a name occurs several times, its last value.
  public var object: [String: JSON]? {
    value.members.map { members in
      Dictionary(members.map { ($0.key, JSON(value: $0.value)) }) { _, last in last }
    }
  }

  /// Compact JSON text.
  public var description: String { value.text }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral text: String) { self.init(text) }
  public init(integerLiteral number: Int) { self.init(number) }
  public init(floatLiteral number: Double) { self.init(number) }
  public init(booleanLiteral truth: Bool) { self.init(truth) }
  public init(arrayLiteral elements: JSON...) { self.init(elements) }
  public init(dictionaryLiteral members: (String, JSON)...) {
    value = .object(members.map { JSONValue.Member($0, $1.value) })
  }
  public init(nilLiteral: ()) { value = .null }
}

extension JSON {
  /// With members added; those of the same name are replaced.
  func adding(_ members: [String: JSON]) -> JSON { JSON((object ?? [:]).merging(members) { _, new in new }) }

  /// The elements of a list that the admin API always gives.
  var rows: [JSON] { array ?? [] }

  /// A text that the admin API always gives.
  var text: String { string ?? "" }
}
