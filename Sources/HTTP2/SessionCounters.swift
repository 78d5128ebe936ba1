/// What a session has seen, for metrics.
package struct SessionCounters: Hashable, Sendable {
  package var requests: UInt64 = 0
  /// Streams beyond the limit, answered with REFUSED_STREAM.
  package var refusedStreams: UInt64 = 0
  /// Streams opened above the last one a GOAWAY promised to serve.
  package var ignoredStreams: UInt64 = 0
  /// Streams the client reset before they were answered.
  package var cancelledStreams: UInt64 = 0
  /// Requests whose header list was too large.
  package var oversizeHeaderLists: UInt64 = 0

  package init() {}
}
