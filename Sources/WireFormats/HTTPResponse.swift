/// An answer ready for the wire.
package struct HTTPResponse: Hashable, Sendable {
  package let status: Int
  package let body: [UInt8]
  /// Fields after `:status`, without the stamps: most answers share these.
  package let form: HTTPFields
  /// What differs from answer to answer.
  package let stamps: Stamps

  /// Values of 36 bytes, the length of a UUID, that take the place of others in the form. They lie here so that an
  /// answer needs no fields of its own.
  package struct Stamps: Sendable {
    package typealias Text = InlineArray<36, UInt8>

    package let first: (text: Text, at: Int)?
    package let second: (text: Text, at: Int)?

    /// - Parameters: each a text, and where the value begins whose place it takes.
    package init(_ first: (text: Text, at: Int)? = nil, _ second: (text: Text, at: Int)? = nil) {
      self.first = first
      self.second = second
    }
  }

  /// - Parameter body: empty means that the header block ends the stream.
  /// - Precondition: the stamps lie within the fields.
  package init(status: Int, fields: HTTPFields, stamps: Stamps = Stamps(), body: [UInt8]) {
    self.status = status
    self.body = body
    self.stamps = stamps
    form = fields
  }

  /// Fields after `:status`.
  package var fields: HTTPFields {
    var fields = form
    if let first = stamps.first { fields.replace(at: first.at, with: first.text) }
    if let second = stamps.second { fields.replace(at: second.at, with: second.text) }
    return fields
  }

  package static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
    left.status == right.status && left.fields == right.fields && left.body == right.body
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(status)
    hasher.combine(fields)
    hasher.combine(body)
  }
}
