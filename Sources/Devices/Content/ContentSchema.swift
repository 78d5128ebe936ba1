import WireFormats

/// What the compiler's `Decodable` of a Swift type expects to find in JSON.
///
/// An app profile declares one for the attributes and one for the content state of each `ActivityAttributes` type, for
/// the fleet has no Swift types to ask.
package indirect enum ContentSchema: Hashable, Sendable {
  case string
  case int
  case double
  case bool
  case date
  case data
  case url
  case uuid
  /// A type that decodes from whatever is there, null included; but something must be there.
  case any
  /// `ClosedRange<Date>`, as a timer view takes it.
  case dateRange
  case stringEnum([String])
  case intEnum([Int64])
  case optional(ContentSchema)
  case array(ContentSchema)
  /// Its keys are strings.
  case dictionary(ContentSchema)
  case object([Property])

  package struct Property: Hashable, Sendable {
    package let key: JSONKey
    package let schema: ContentSchema
    package var name: String { key.text }

    package init(_ name: String, _ schema: ContentSchema) {
      key = JSONKey(name)
      self.schema = schema
    }
  }
}

extension ContentSchema {
  /// Keys of an object; nil for what is none.
  package var propertyNames: [String]? {
    switch self {
    case .object(let properties): properties.map(\.name)
    case .optional(let schema): schema.propertyNames
    default: nil
    }
  }
}
