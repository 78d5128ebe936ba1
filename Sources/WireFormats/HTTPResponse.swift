/// An answer ready for the wire.
package struct HTTPResponse: Hashable, Sendable {
  package let status: Int
  /// Fields after `:status`.
  package let fields: HTTPFields
  /// Empty means that the header block ends the stream.
  package let body: [UInt8]

  package init(status: Int, fields: HTTPFields, body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.body = body
  }
}
