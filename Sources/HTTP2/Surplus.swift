/// The GOAWAY with which a client is thrown off that opens more streams than it may.
package struct Surplus: Hashable, Sendable {
  package let code: ErrorCode
  package let debug: [UInt8]

  package init(_ code: ErrorCode, debug: [UInt8] = []) {
    self.code = code
    self.debug = debug
  }
}
