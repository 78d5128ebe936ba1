/// Identifies a connection for the lifetime of the process.
package struct ConnectionID: Hashable, Sendable {
  /// The loop that serves the connection.
  package let loop: Int
  /// The number among the connections of that loop.
  package let number: UInt64

  package init(loop: Int, number: UInt64) {
    self.loop = loop
    self.number = number
  }
}

/// A connection whose TLS handshake is complete.
package struct ConnectionInfo: Sendable {
  package let id: ConnectionID
  /// The number given when the listener was opened.
  package let listener: Int
  /// Address and port of the client.
  package let peer: String
  package let tls: TLSInfo

  package init(id: ConnectionID, listener: Int, peer: String, tls: TLSInfo) {
    self.id = id
    self.listener = listener
    self.peer = peer
    self.tls = tls
  }
}

/// The result of the handshake.
package struct TLSInfo: Hashable, Sendable {
  /// The protocols that the client offered (RFC 7301). HTTP/2 is spoken in any case.
  package enum ALPN: Hashable, Sendable {
    case h2
    case notOffered
    /// The client offered protocols other than h2.
    case othersOnly
  }

  /// For example `TLSv1.3`.
  package let version: String
  package let alpn: ALPN
  package let clientCertificate: ClientCertificate?

  package init(version: String, alpn: ALPN, clientCertificate: ClientCertificate?) {
    self.version = version
    self.alpn = alpn
    self.clientCertificate = clientCertificate
  }
}

/// A certificate that the client presented. It is not validated here; once the handshake is complete, the client has
/// proved that it has the key.
package struct ClientCertificate: Hashable, Sendable {
  package let der: [UInt8]
  /// In RFC 2253 format.
  package let subject: String

  package init(der: [UInt8], subject: String) {
    self.der = der
    self.subject = subject
  }
}

/// The upper layer's settings for a new connection.
package struct ConnectionSetup {
  /// Chosen by the upper layer, and passed back with everything about this connection.
  package let token: UInt64
  /// The upper layer's state of the connection; passed back with its requests, only on the connection's loop.
  package let state: AnyObject?
  /// MAX_CONCURRENT_STREAMS of the first SETTINGS frame; nil for the server's option.
  package let announcedStreams: Int?

  package init(token: UInt64, state: AnyObject? = nil, announcedStreams: Int? = nil) {
    self.token = token
    self.state = state
    self.announcedStreams = announcedStreams
  }
}

/// The reason for the end of a connection.
package enum CloseReason: Hashable, Sendable {
  /// The client closed it.
  case client
  /// The client reset it, or the network broke.
  case broken
  /// By an effect.
  case asked
  /// GOAWAY was sent or received, and the last stream has ended.
  case finished
  case idle
  /// A `ConnectionTrouble` was reported.
  case trouble
  /// The server stopped before the connection ended.
  case stopped
}
