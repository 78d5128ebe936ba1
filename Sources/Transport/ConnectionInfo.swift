/// Names a connection for as long as the process runs.
package struct ConnectionID: Hashable, Sendable {
  /// The loop that serves it.
  package let loop: Int
  /// Counts the connections of that loop.
  package let number: UInt64

  package init(loop: Int, number: UInt64) {
    self.loop = loop
    self.number = number
  }
}

/// A connection whose TLS handshake is done.
package struct ConnectionInfo: Sendable {
  package let id: ConnectionID
  /// The number the listener was opened with.
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

/// What the handshake settled.
package struct TLSInfo: Hashable, Sendable {
  /// What the client said about the protocol to speak (RFC 7301). HTTP/2 is spoken in every case.
  package enum ALPN: Hashable, Sendable {
    case h2
    case notOffered
    /// The client offered protocols, h2 not among them.
    case othersOnly
  }

  /// Such as `TLSv1.3`.
  package let version: String
  package let alpn: ALPN
  package let clientCertificate: ClientCertificate?

  package init(version: String, alpn: ALPN, clientCertificate: ClientCertificate?) {
    self.version = version
    self.alpn = alpn
    self.clientCertificate = clientCertificate
  }
}

/// A certificate the client presented. Nobody has judged it; the client has proved that it holds the key.
package struct ClientCertificate: Hashable, Sendable {
  package let der: [UInt8]
  /// In the form of RFC 2253.
  package let subject: String

  package init(der: [UInt8], subject: String) {
    self.der = der
    self.subject = subject
  }
}

/// What the upper layer says to a new connection.
package struct ConnectionSetup {
  /// A number of the upper layer's own, handed back with everything about this connection.
  package let token: UInt64
  /// What the upper layer keeps of the connection; handed back with its requests, on the loop of the connection only.
  package let state: AnyObject?
  /// MAX_CONCURRENT_STREAMS of the first SETTINGS frame; nil stands for the server's option.
  package let announcedStreams: Int?

  package init(token: UInt64, state: AnyObject? = nil, announcedStreams: Int? = nil) {
    self.token = token
    self.state = state
    self.announcedStreams = announcedStreams
  }
}

/// Why a connection ended.
package enum CloseReason: Hashable, Sendable {
  /// The client closed it.
  case client
  /// The client reset it, or the network broke.
  case broken
  /// An effect said so.
  case asked
  /// GOAWAY was sent or received, and the last stream is done.
  case finished
  case idle
  /// A `ConnectionTrouble` was reported.
  case trouble
  /// The server stopped before the connection was done.
  case stopped
}
