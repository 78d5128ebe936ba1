import Simulation

/// Bounds on the connections of providers, and what is announced to them.
public struct WireSettings: Hashable, Sendable {
  /// The answer to a request whose header list is larger than announced.
  public enum HeaderOverflow: Hashable, Sendable {
    case answer431
    /// RST_STREAM.
    case reset
  }

  /// Threads that serve connections; nil for one per core.
  public var loops: Int?
  public var maxConnections = 10_000
  public var handshakeTimeout: Duration = .seconds(10)
  /// The time for which a connection may be silent. Assumed: Apple does not publish when it closes idle connections.
  public var idleTimeout: Duration = .seconds(7200)
  /// The time for which a client may take nothing while bytes wait for it.
  public var writeStall: Duration = .seconds(30)
  /// Bytes that one connection may hold for requests and answers.
  public var connectionBytes = 4 * 1024 * 1024
  /// Bytes that all connections together may hold.
  public var totalBytes = 256 * 1024 * 1024
  /// The time for which a server that stops waits for requests in flight.
  public var drainTime: Duration = .seconds(10)
  /// MAX_CONCURRENT_STREAMS of the first SETTINGS frame. Observed: 1.
  public var initialStreams = 1
  /// MAX_CONCURRENT_STREAMS after the first request whose provider token passes.
  ///
  /// Observed: 1000, sent before that request's answer (a curl trace of 2022).
  public var authorisedStreams = 1000
  /// True if streams beyond the announced number are refused even before a client can know it.
  public var strictStreams = false
  /// Assumed: nobody has published what Apple does with a longer list.
  public var headerOverflow = HeaderOverflow.answer431

  /// The certificate that the listeners of providers present instead of the valid one; nil for the valid one.
  package var chain: ListenerFault.CertificateFault?

  public init() {}
}

/// Bounds on the calls that apps make to their backends.
public struct CallSettings: Hashable, Sendable {
  /// Hosts beyond this machine that may be called: names or addresses, without a port.
  public var allowedHosts: [String] = []
  /// Maximum number of connections at a time, and so of calls in flight.
  public var connections = 64
  /// Calls that may wait for a connection.
  public var queue = 20_000

  public init() {}
}
