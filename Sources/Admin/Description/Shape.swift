import WireFormats

/// The one description of a JSON object that answers contain: its schema, and how it is written.
struct Shape<Row>: Sendable {
  struct Member: Sendable {
    fileprivate let described: Schema.Member
    fileprivate let value: @Sendable (Row) -> JSONValue?

    init(
      _ name: String, _ schema: Schema, meaning: String? = nil, value: @escaping @Sendable (Row) -> JSONValue
    ) {
      described = Schema.Member(name, schema, meaning: meaning)
      self.value = value
    }

    private init(_ described: Schema.Member, _ value: @escaping @Sendable (Row) -> JSONValue?) {
      self.described = described
      self.value = value
    }

    /// A member that is left out if it has no value.
    static func maybe(
      _ name: String, _ schema: Schema, meaning: String? = nil, value: @escaping @Sendable (Row) -> JSONValue?
    ) -> Member { Member(.maybe(name, schema, meaning: meaning), value) }
  }

  let schema: Schema
  private let members: [Member]

  /// - Parameter name: of its type in the document; nil for an object without one.
  init(_ name: String? = nil, meaning: String? = nil, members: [Member]) {
    let object = Schema.object(members.map(\.described))
    self.members = members
    schema = name.map { object.named($0, meaning) } ?? meaning.map { object.meaning($0) } ?? object
  }

  func json(_ row: Row) -> JSONValue {
    .object(members.compactMap { member in member.value(row).map { .init(member.described.name, $0) } })
  }
}
