/// An answer ready to be sent.
package struct HTTPResponse: Hashable, Sendable {
  package let status: Int
  package let body: [UInt8]
  /// Fields after `:status`, with placeholders for the stamps. Most answers share these.
  package let form: HTTPFields
  /// The values that differ from answer to answer.
  package let stamps: Stamps

  /// Values of 36 bytes, the length of a UUID, that replace placeholders in the form. Stored inline, so that an answer
  /// does not need its own copy of the fields.
  package struct Stamps: Sendable {
    package typealias Text = InlineArray<36, UInt8>

    package let first: (text: Text, at: Int)?
    package let second: (text: Text, at: Int)?

    /// - Parameters: each is a text and the offset of the value that it replaces.
    package init(_ first: (text: Text, at: Int)? = nil, _ second: (text: Text, at: Int)? = nil) {
      self.first = first
      self.second = second
    }
  }

  /// - Parameter body: if it is empty, the header block ends the stream.
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
