import APNs
import Configuration

/// A configuration for HAProxy (Debian's 2.6 or later), so that all cells have one address.
package struct HAProxyConfiguration: Sendable {
  private let cells: CellLayout
  /// The address at which senders connect to HAProxy.
  private let host: String
  private let port: Int
  /// Each cell's Unix socket; `{cell}` is its number. Nil: hosts and ports.
  private let socket: String?
  private let files: Files

  /// PEM files of HAProxy.
  package struct Files: Sendable {
    let certificate: String
    let authority: String

    package init(certificate: String, authority: String) {
      (self.certificate, self.authority) = (certificate, authority)
    }
  }

  /// - Throws: a sentence about what is wrong.
  package init(_ cells: CellLayout, listen: String, socket: String?, files: Files) throws(CellProblem) {
    guard case .port(let host, let port)? = RelayAddress(listen), port > 0 else {
      throw CellProblem(
        "--listen must be a port such as 443, or an address and a port such as 10.0.0.4:443, not \"\(listen)\".")
    }
    if let socket, !socket.hasPrefix("/") || !socket.contains(CellLayout.place) {
      throw CellProblem(
        "--socket must be a path with \(CellLayout.place) in it, such as /run/pushpit/\(CellLayout.place).sock, not"
          + " \"\(socket)\".")
    }
    for text in [files.certificate, files.authority, socket ?? "", cells.host(of: 0), host]
    where text.contains(where: { $0.isWhitespace || "\"'\\#$%".contains($0) }) {
      throw CellProblem(
        "HAProxy would not read \"\(text)\" as one word; use a name without spaces, quotes, \\, #, $ and %.")
    }
    (self.cells, self.host, self.port, self.socket, self.files) = (cells, host, Int(port), socket, files)
  }

  /// HAProxy ends TLS and routes each push by its token.
  package var relaying: String {
    let count = cells.count
    let backends = (0..<count).map { cell in
      """

      backend cell-\(cell)
          server cell-\(cell) \(address(of: cell)) proto h2

      """
    }
    return """
      # \(count) cells behind one address: HAProxy ends TLS and sends each push to its cell.
      # Start the cells with --relay. Make the certificate file from files of the state folder:
      #   cat tls.pem tls-key.pem > \(files.certificate); cp ca.pem \(files.authority)
      global
          tune.h2.max-concurrent-streams 1000

      defaults
          mode http
          # Each connection of a sender gets its own connection to each cell, because a connection has one provider.
          http-reuse never
          # If a cell is down, the sender has to try again, as after a 503 of APNs.
          retries 0
          http-error status 503 content-type application/json string '{"reason":"ServiceUnavailable"}'
          timeout connect 5s
          timeout http-request 30s
          timeout http-keep-alive 2h
          timeout client 2h
          timeout server 2h

      frontend apns
          # Certificates are accepted or refused by the cells, like Apple's, not by HAProxy.
          bind \(listener(port)) ssl crt \(files.certificate) alpn h2 ca-file \(files.authority) verify optional \
      crt-ignore-err all ca-ignore-err all no-ca-names no-tls-tickets
          http-request del-header client-cert
          http-request set-header client-cert :%[ssl_c_der,base64]: if { ssl_c_used }
          # The second byte of a token is its partition. Requests without a token go to cell 0.
          http-request set-var(txn.cell) int(0)
          http-request set-var(txn.cell) path,bytes(12,2),hex2i,mod(\(count)) if { path_beg /3/device/ }
          use_backend cell-%[var(txn.cell)]

      """ + backends.joined()
  }

  /// HAProxy passes bytes on, with a port for each cell: Pushpit itself handles TLS and HTTP/2.
  package func passing() throws(CellProblem) -> String {
    guard socket == nil else { throw CellProblem("--socket is for relays, and --tcp needs no relay; leave one out.") }
    let last = port + cells.count - 1
    guard last <= 65_535 else {
      throw CellProblem("the port of cell \(cells.count - 1) would be \(last), but ports end at 65535; lower --listen.")
    }
    let listeners = (0..<cells.count).map { cell in
      """

      listen cell-\(cell)
          bind \(listener(port + cell))
          server cell-\(cell) \(address(of: cell))

      """
    }
    return """
      # \(cells.count) cells behind one address, each with its own port: HAProxy forwards the bytes
      # unchanged.
      # The URLs for senders: pushpit cells env --of \(cells.count) --host \(host) --port \(port) --step 1
      defaults
          mode tcp
          retries 0
          timeout connect 5s
          timeout client 2h
          timeout server 2h

      """ + listeners.joined()
  }

  private func listener(_ port: Int) -> String { RelayAddress.port(host: host, UInt16(clamping: port)).text }

  private func address(of cell: Int) -> String {
    if let socket { return "unix@" + socket.replacing(CellLayout.place, with: "\(cell)") }
    // The name may have an IPv6 address too, where the cell does not listen.
    let host = cells.host(of: cell) == "localhost" ? RelayAddress.usualHost : cells.host(of: cell)
    return RelayAddress.port(host: host, UInt16(clamping: cells.port(of: cell))).text
  }
}
