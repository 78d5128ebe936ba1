import HTTP2

/// The reason for which a client failed to connect or was disconnected: one sentence for its developer.
package struct ConnectionTrouble: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case handshake(HandshakeFailure)
    case http1
    case badPreface(firstBytes: [UInt8])
    case protocolError(ErrorCode, text: String)
    case flooded(text: String)
    case tooManyConnections(limit: Int)
    /// The admin API has a separate limit.
    case tooManyAdminConnections(limit: Int)
    case outOfDescriptors
    /// A listener with intentionally refused connections could not listen again.
    case cannotListenAgain(ListenFailure)
    case idle
    case neverReads
    case broken(text: String)
    case relay(RelayFlaw)
  }

  package let kind: Kind
  /// The number given when the listener was opened.
  package let listener: Int
  /// Address and port of the client; empty if no connection was accepted.
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
    case .badPreface(let bytes): "the client sent \(Self.printable(bytes)) instead of the HTTP/2 preface"
    case .protocolError(let code, let text): "the client violated HTTP/2: \(text.isEmpty ? "\(code)" : text)"
    case .flooded(let text): "the client flooded the connection: \(text.isEmpty ? "too many frames" : text)"
    case .tooManyConnections(let limit): "\(limit) connections are already open; this one was closed"
    case .tooManyAdminConnections(let limit):
      "\(limit) connections to the admin API are already open; this one was closed"
    case .outOfDescriptors: "the process has no file descriptors left for another connection (see ulimit -n)"
    case .cannotListenAgain(let failure): "connections are refused for good: \(failure)"
    case .idle: "the connection was idle for too long and was closed"
    case .neverReads: "the client does not read what the server sends; the connection was closed"
    case .broken(let text): "the connection was aborted: \(text)"
    case .relay(let flaw): flaw.sentence
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
