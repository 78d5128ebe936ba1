import CLibevent

#if canImport(Glibc)
  import Glibc
#endif

/// The claim of one Pushpit on a port that another program is about to bind: a name among the abstract Unix sockets. It
/// does not keep that program from the port, as a socket bound to the port would.
///
/// Documented: unix(7). Abstract names belong to a network namespace, as ports do, whoever the user is, and end with
/// their socket. Other systems have no such names, and there a claim does nothing.
final class PortClaim {
  private let descriptor: Int32?

  /// Nil if another Pushpit holds it.
  init?(_ port: Int) {
    #if canImport(Glibc)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let name = [0] + Array("pushpit-port-\(port)".utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
      let size = socklen_t(MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: address.sun_path) + name.count)
      let result = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor ?? -1, $0, size) }
      }
      // Where such sockets are forbidden, a port is chosen without a claim.
      if result != 0, errno == EADDRINUSE { return nil }
    #else
      descriptor = nil
    #endif
  }

  deinit {
    if let descriptor, descriptor >= 0 { evutil_closesocket(descriptor) }
  }
}
