import WireFormats

/// A request of the admin API as the transport read it: nothing decoded, nothing judged.
package struct AdminRequest: Sendable {
  package let method: String
  /// What stands in the request line after the method: path and query, percent-encoded.
  package let target: String
  /// Names in any case; a name may be there twice.
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]
  /// The body, parsed before the station's lock is taken.
  let json: Result<JSONValue, JSONProblem>

  package init(method: String, target: String, headers: [(name: String, value: String)], body: [UInt8]) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    json = Result { () throws(JSONProblem) in try JSONValue.parse(body) }
  }

  /// All values under a lower-case name.
  func values(of name: String) -> [String] {
    headers.filter { $0.name.lowercased() == name }.map(\.value)
  }
}
