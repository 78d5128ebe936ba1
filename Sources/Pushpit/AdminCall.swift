/// A request of the admin API as a client makes it.
package struct AdminCall: Sendable {
  package let method: String
  /// Path and query, percent-encoded.
  package let target: String
  /// Sent as JSON; nil for none.
  package let body: [UInt8]?
  /// The time that the answer may take.
  package let timeout: Duration

  package init(_ method: String, _ target: String, body: [UInt8]? = nil, timeout: Duration) {
    self.method = method
    self.target = target
    self.body = body
    self.timeout = timeout
  }

  package var headers: [(name: String, value: String)] { body == nil ? [] : [("content-type", "application/json")] }
}
