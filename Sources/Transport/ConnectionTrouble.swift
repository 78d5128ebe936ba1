import HTTP2

/// Why a client did not get on: one sentence for the person who set it up.
package struct ConnectionTrouble: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case handshake(HandshakeFailure)
    case http1
    case badPreface(firstBytes: [UInt8])
    case protocolError(ErrorCode, text: String)
    case flooded(text: String)
    case tooManyConnections(limit: Int)
    /// The same of the admin API, which has a limit of its own.
    case tooManyAdminConnections(limit: Int)
    case outOfDescriptors
    /// A listener that refused connections on purpose could not go on afterwards.
    case cannotListenAgain(ListenFailure)
    case idle
    case neverReads
    case broken(text: String)
  }

  package let kind: Kind
  /// The number the listener was opened with.
  package let listener: Int
  /// Address and port of the client; empty when nobody was accepted.
  package let peer: String

  package init(_ kind: Kind, listener: Int, peer: String) {
    self.kind = kind
    self.listener = listener
    self.peer = peer
  }

  package var sentence: String {
    switch kind {
    case .handshake(let trouble): trouble.sentence
    case .http1: "the client speaks HTTP/1.1; this server speaks HTTP/2 only"
    case .badPreface(let bytes): "the client does not begin with the HTTP/2 preface but with \(Self.printable(bytes))"
    case .protocolError(let code, let text): "the client broke a rule of HTTP/2: \(text.isEmpty ? "\(code)" : text)"
    case .flooded(let text): "the client flooded the connection: \(text.isEmpty ? "too many frames" : text)"
    case .tooManyConnections(let limit): "\(limit) connections are open already; this one was closed at once"
    case .tooManyAdminConnections(let limit):
      "\(limit) connections to the admin API are open already; this one was closed at once"
    case .outOfDescriptors: "the process has no file descriptors left for another connection (see ulimit -n)"
    case .cannotListenAgain(let failure): "connections are refused for good: \(failure)"
    case .idle: "the connection was silent for too long and was closed"
    case .neverReads: "the client does not read what it is sent; the connection was closed"
    case .broken(let text): "the connection was given up: \(text)"
    }
  }

  private static func printable(_ bytes: [UInt8]) -> String {
    let text = bytes.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
    return "\"\(text)\""
  }
}

extension ConnectionTrouble.Kind {
  init(_ failure: SessionFailure) {
    switch failure {
    case .notHTTP2(_, looksLikeHTTP1: true): self = .http1
    case .notHTTP2(let bytes, looksLikeHTTP1: false): self = .badPreface(firstBytes: bytes)
    case .protocolError(let code, let text): self = .protocolError(code, text: text)
    case .flooded(let text): self = .flooded(text: text)
    case .broken(let text): self = .broken(text: text)
    }
  }
}
