import WireFormats

/// The one description of a JSON object: its schema, how it is written, and how a request's is read.
package struct Shape<Row>: Sendable {
  package struct Member: Sendable {
    package typealias Reading = @Sendable (_ fields: Fields, _ row: inout Row) throws(InputProblem) -> Void

    package let described: Schema.Member
    /// The type of what a reader takes; nil in answers.
    package let type: ValueType?
    fileprivate let read: Reading?
    fileprivate let write: @Sendable (Row) -> JSONValue?

    private init(
      _ described: Schema.Member, type: ValueType? = nil, read: Reading? = nil,
      write: @escaping @Sendable (Row) -> JSONValue?
    ) {
      self.described = described
      self.type = type
      self.read = read
      self.write = write
    }

    /// A member of an answer.
    package init(
      _ name: String, _ schema: Schema, meaning: String? = nil, value: @escaping @Sendable (Row) -> JSONValue
    ) { self.init(Schema.Member(name, schema, meaning: meaning), write: value) }

    /// A member of an answer that is left out if it has no value.
    package static func maybe(
      _ name: String, _ schema: Schema, meaning: String? = nil, value: @escaping @Sendable (Row) -> JSONValue?
    ) -> Member { Member(.maybe(name, schema, meaning: meaning), write: value) }

    /// A member of an answer that is an object of another shape.
    package static func object<Part>(
      _ name: String, _ shape: Shape<Part>, meaning: String? = nil, value: @escaping @Sendable (Row) -> Part
    ) -> Member { Member(name, shape.schema, meaning: meaning) { shape.json(value($0)) } }

    /// A member of an answer that is an object of another shape, or null.
    package static func orNull<Part>(
      _ name: String, _ shape: Shape<Part>, meaning: String? = nil, value: @escaping @Sendable (Row) -> Part?
    ) -> Member { Member(name, shape.schema.orNull, meaning: meaning) { value($0).map { shape.json($0) } ?? .null } }

    /// A member of an answer that is a list of objects of another shape.
    package static func list<Part>(
      _ name: String, of shape: Shape<Part>, meaning: String? = nil, values: @escaping @Sendable (Row) -> [Part]
    ) -> Member {
      Member(name, .list(of: shape.schema), meaning: meaning) { .array(values($0).map { shape.json($0) }) }
    }

    // MARK: - Of requests

    /// - Parameter read: nil for a member that another one reads.
    package static func key(
      _ name: String, as type: ValueType, _ meaning: String? = nil, isNeeded: Bool = false, read: Reading? = nil,
      write: @escaping @Sendable (Row) -> JSONValue?
    ) -> Member {
      let described = Schema.Member(name, Schema(type), meaning: meaning, isNeeded: isNeeded)
      return Member(described, type: type, read: read, write: write)
    }

    /// A member that another one reads.
    package static func also<Value>(
      _ name: String, at path: any KeyPath<Row, Value?> & Sendable, as form: FieldForm<Value>, _ meaning: String? = nil
    ) -> Member {
      let described = Schema.Member.maybe(name, form.schema, meaning: meaning)
      return Member(described, type: form.type) { $0[keyPath: path].map(form.write) }
    }

    /// A member without which the object is invalid.
    package static func needed<Value>(
      _ name: String, at path: any WritableKeyPath<Row, Value> & Sendable, as form: FieldForm<Value>,
      _ meaning: String? = nil
    ) -> Member {
      let described = Schema.Member(name, form.schema, meaning: meaning)
      return Member(described, type: form.type) { (fields, row) throws(InputProblem) in
        guard let value = try form.read(fields, name) else {
          throw fields.problem(name, "\(name) is required: \(form.wanted).", code: .missingKey)
        }
        row[keyPath: path] = value
      } write: {
        form.write($0[keyPath: path])
      }
    }

    /// A member that is left out if there is no value.
    package static func maybe<Value>(
      _ name: String, at path: any WritableKeyPath<Row, Value?> & Sendable, as form: FieldForm<Value>,
      _ meaning: String? = nil
    ) -> Member {
      let described = Schema.Member.maybe(name, form.schema, meaning: meaning)
      return Member(described, type: form.type) { (fields, row) throws(InputProblem) in
        row[keyPath: path] = try form.read(fields, name)
      } write: {
        $0[keyPath: path].map(form.write)
      }
    }

    /// A member that is left out if it has the default.
    package static func usual<Value: Equatable>(
      _ name: String, at path: any WritableKeyPath<Row, Value> & Sendable, as form: FieldForm<Value>, is usual: Value,
      _ meaning: String? = nil
    ) -> Member {
      let schema = form.schema.with(["default": form.write(usual)])
      let described = Schema.Member.maybe(name, schema, meaning: meaning)
      return Member(described, type: form.type) { (fields, row) throws(InputProblem) in
        row[keyPath: path] = try form.read(fields, name) ?? usual
      } write: {
        $0[keyPath: path] == usual ? Optional.none : form.write($0[keyPath: path])
      }
    }
  }

  package let schema: Schema
  package let members: [Member]

  /// - Parameter name: of its type in the document; nil for an object without one.
  package init(_ name: String? = nil, meaning: String? = nil, members: [Member]) {
    let object = Schema.object(members.map(\.described))
    self.members = members
    schema = name.map { object.named($0, meaning) } ?? meaning.map { object.meaning($0) } ?? object
  }

  package var keys: [String] { members.map(\.described.name) }

  /// The type of what a reader takes.
  package var type: ValueType {
    .members(
      members.compactMap { member in member.type.map { (member.described.name, $0) } },
      needed: members.filter(\.described.isNeeded).map(\.described.name))
  }

  package func json(_ row: Row) -> JSONValue { .object(written(row)) }

  /// The members of the object in their order, without those that are left out.
  package func written(_ row: Row) -> [JSONValue.Member] {
    members.compactMap { member in member.write(row).map { .init(member.described.name, $0) } }
  }

  /// Reads what a request says of a value.
  package func read(_ fields: Fields, into row: inout Row) throws(InputProblem) {
    for member in members { try member.read?(fields, &row) }
  }
}
