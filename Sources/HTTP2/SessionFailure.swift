/// Why a session cannot go on. The connection is to be closed once the GOAWAY that says so is written.
package enum SessionFailure: Hashable, Sendable {
  /// The client speaks something else. `firstBytes` are at most 24 bytes, from the start of the connection.
  case notHTTP2(firstBytes: [UInt8], looksLikeHTTP1: Bool)
  /// A rule of RFC 9113 is broken, in nghttp2's words.
  case protocolError(ErrorCode, text: String)
  /// Harmless frames in harmful numbers: resets, SETTINGS, PINGs, CONTINUATIONs.
  case flooded(text: String)
  /// nghttp2 gave up for a reason of its own, such as memory.
  case broken(text: String)
}
