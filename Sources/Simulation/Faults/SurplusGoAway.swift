/// What a client gets for a stream beyond the limit in place of a refusal of that stream: GOAWAY, and the end.
///
/// Observed: Apple threw clients off with code 7 and the words "maximum active streams" (pushy issue 356).
package struct SurplusGoAway: Hashable, Sendable {
  package let code: UInt32
  package let debug: [UInt8]

  package init(code: UInt32, debug: [UInt8]) {
    self.code = code
    self.debug = debug
  }
}
