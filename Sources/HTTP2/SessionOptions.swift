/// The numbers that a server session announces and enforces.
package struct SessionOptions: Hashable, Sendable {
  /// Handling of a request whose header list is larger than announced.
  package enum OversizeHeaders: Hashable, Sendable {
    /// Status 431 without a body when the request has ended (RFC 6585 section 5).
    case answer431
    /// RST_STREAM with ENHANCE_YOUR_CALM at the first field beyond the limit.
    case reset
  }

  /// MAX_CONCURRENT_STREAMS of the first SETTINGS frame.
  /// Observed: 1 until a provider token has passed (docs/behavior/connections.md#first-settings).
  package var announcedStreams = 1
  /// Refuse streams beyond the announced number from the start, although the client cannot know it yet.
  package var strictStreams = false
  /// Maximum number of open streams, whatever is announced.
  package var streamCap = 1000

  /// HEADER_TABLE_SIZE, bytes. Observed: 4096 (docs/behavior/connections.md#first-settings).
  package var headerTable = 4096
  /// MAX_FRAME_SIZE, bytes. Observed: 16384 (docs/behavior/connections.md#first-settings).
  package var maxFrame = 16_384
  /// MAX_HEADER_LIST_SIZE, bytes, counted as RFC 9113 does: name, value and 32 for each field.
  /// Observed: 8000 (docs/behavior/connections.md#first-settings).
  package var maxHeaderList = 8000
  /// Assumed: nobody has published what Apple does with a longer list.
  package var oversizeHeaders = OversizeHeaders.answer431

  /// Maximum number of body bytes kept. A longer body is cut after `bodyLimit + 1` bytes, so that it is recognized as
  /// too long.
  package var bodyLimit = 8192

  /// Maximum number of bytes held for requests and answers; beyond it, new streams are refused.
  package var heldLimit = 4 * 1024 * 1024

  /// Names of response fields with unique values, which are kept out of the compression table.
  package var unindexedNames: [String] = []

  package init() {}

  /// Packed fields have 16-bit lengths, so no field may be longer.
  var headerListLimit: Int { min(max(maxHeaderList, 0), 0xFFFF) }
}

/// Reason for which a session cannot continue. The connection must be closed after the GOAWAY is written.
package enum SessionFailure: Hashable, Sendable {
  /// The client speaks another protocol. `firstBytes` has at most 24 bytes from the start of the connection.
  case notHTTP2(firstBytes: [UInt8], looksLikeHTTP1: Bool)
  /// A rule of RFC 9113 is broken, in nghttp2's words.
  case protocolError(ErrorCode, text: String)
  /// Valid frames in excessive numbers: resets, SETTINGS, PINGs, CONTINUATIONs.
  case flooded(text: String)
  /// nghttp2 failed for another reason, such as memory.
  case broken(text: String)
}

/// Counters for metrics.
package struct SessionCounters: Hashable, Sendable {
  package var requests: UInt64 = 0
  /// Streams beyond the limit, answered with REFUSED_STREAM.
  package var refusedStreams: UInt64 = 0
  /// Streams opened above the last stream of a GOAWAY.
  package var ignoredStreams: UInt64 = 0
  /// Streams the client reset before they were answered.
  package var cancelledStreams: UInt64 = 0
  /// Requests whose header list was too large.
  package var oversizeHeaderLists: UInt64 = 0

  package init() {}
}

/// The GOAWAY for a client that opens more streams than allowed.
package struct ExcessStreams: Hashable, Sendable {
  package let code: ErrorCode
  package let debug: [UInt8]

  package init(_ code: ErrorCode, debug: [UInt8] = []) {
    self.code = code
    self.debug = debug
  }
}
