/// A schema stored in a few flat arrays.
///
/// Walking the schema itself retains and releases each of its boxes for every push, which took half the time of a
/// check.
struct CompiledSchema: Sendable {
  enum Form: UInt8 {
    case string
    case int
    case fixedInt
    case double
    case float
    case bool
    case date
    case data
    case url
    case uuid
    case any
    case dateRange
    case stringEnum
    case intEnum
    case caseEnum
    case array
    case dictionary
    case intDictionary
    case pairs
    case object
  }

  /// A type of the schema.
  ///
  /// The meaning of `content` depends on the form. For an object or an enum, it has the indices of the properties,
  /// cases or raw values. For other forms, its lower bound is the index of the type of the elements, or the raw value
  /// of a `FixedInteger`. For `pairs`, its bounds are the indices of the types of keys and values.
  struct Node {
    let form: Form
    let isOptional: Bool
    let content: Range<Int32>
  }

  /// A range of text in the byte array.
  struct Word {
    let place: Range<Int32>
    let isASCII: Bool
  }

  struct Property {
    let name: Word
    let node: Int32
  }

  private(set) var nodes: [Node] = []
  private(set) var properties: [Property] = []
  /// Raw values of the enums.
  private(set) var words: [Word] = []
  private(set) var numbers: [Int64] = []
  private(set) var bytes: [UInt8] = []
  let root: Int32

  init(_ schema: ContentSchema) {
    root = 0
    _ = add(schema)
  }
}

extension CompiledSchema {
  /// Returns the schema's index; its parts follow it.
  private mutating func add(_ schema: ContentSchema, isOptional: Bool = false) -> Int32 {
    if case .optional(let wrapped) = schema { return add(wrapped, isOptional: true) }
    let number = nodes.count
    nodes.append(Node(form: schema.form, isOptional: isOptional, content: 0..<0))
    let content: Range<Int32> =
      switch schema {
      case .stringEnum(let values): append(values.map { word($0) }, to: \.words)
      case .intEnum(let values): append(values, to: \.numbers)
      case .object(let members), .caseEnum(let members): append(members.map { property($0) }, to: \.properties)
      case .array(let element), .dictionary(let element), .intDictionary(let element): single(add(element))
      case .pairs(let key, let value): add(key)..<add(value)
      case .fixedInt(let type): single(type.rawValue)
      default: 0..<0
      }
    nodes[number] = Node(form: schema.form, isOptional: isOptional, content: content)
    return Int32(number)
  }

  private func single(_ number: Int32) -> Range<Int32> { number..<(number + 1) }

  private mutating func property(_ property: ContentSchema.Property) -> Property {
    let name = word(property.name)
    return Property(name: name, node: add(property.schema))
  }

  private mutating func word(_ text: String) -> Word {
    let place = append(Array(text.utf8), to: \.bytes)
    return Word(place: place, isASCII: text.utf8.allSatisfy { $0 < 0x80 })
  }

  private mutating func append<Item>(
    _ items: [Item], to list: WritableKeyPath<CompiledSchema, [Item]>
  ) -> Range<Int32> {
    let start = Int32(self[keyPath: list].count)
    self[keyPath: list] += items
    return start..<Int32(self[keyPath: list].count)
  }
}

extension ContentSchema {
  fileprivate var form: CompiledSchema.Form {
    switch self {
    case .string: .string
    case .int: .int
    case .fixedInt: .fixedInt
    case .double: .double
    case .float: .float
    case .bool: .bool
    case .date: .date
    case .data: .data
    case .url: .url
    case .uuid: .uuid
    case .any: .any
    case .dateRange: .dateRange
    case .stringEnum: .stringEnum
    case .intEnum: .intEnum
    case .caseEnum: .caseEnum
    case .optional(let wrapped): wrapped.form
    case .array: .array
    case .dictionary: .dictionary
    case .intDictionary: .intDictionary
    case .pairs: .pairs
    case .object: .object
    }
  }
}

/// The wording of expected types in failures.
extension CompiledSchema.Form {
  /// With its article.
  var expectation: String {
    switch self {
    case .string: "a string"
    case .int, .fixedInt: "a whole number"
    case .double, .float: "a number"
    case .bool: "true or false"
    case .date: "a number, the seconds since 2001 that a Date is by default"
    case .data: "a string in base64"
    case .url: "a string with a URL"
    case .uuid: "a string with a UUID"
    case .any: "a value"
    case .dateRange: "an array of two numbers, the bounds of a ClosedRange<Date>"
    case .stringEnum: "a string, the raw value of an enum"
    case .intEnum: "a whole number, the raw value of an enum"
    case .caseEnum: "an object whose key is a case of the enum, as Swift encodes an enum without raw values"
    case .array: "an array"
    case .pairs: "an array of keys and values in turn, as Swift encodes a dictionary whose keys are not String or Int"
    case .dictionary, .intDictionary, .object: "an object"
    }
  }
}
