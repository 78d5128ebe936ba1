import CLibevent

/// Ports that nobody listens on just now.
package enum FreePort {
  /// One that the system chooses; another program may still take it first.
  package static func find(host: String) throws(ListenFailure) -> Int {
    let socket = try BoundSocket(host: host, port: 0)
    evutil_closesocket(socket.descriptor)
    return socket.port
  }
}
