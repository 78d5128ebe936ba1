import Glibc

/// Another program that listens on a port.
final class PlainListener: Sendable {
  private let descriptor: Int32

  init(port: Int, host: UInt32 = 0x7F00_0001) throws {
    // A child that another test starts meanwhile would hold the port.
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    let descriptor = descriptor
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0, listen(descriptor, 1) == 0 else { throw PlainSocket.Refused() }
  }

  /// Copies of all listening sockets of this process with that port.
  static func copies(port: Int) -> [Int32] {
    let listening = (0..<Int32(getdtablesize())).filter { descriptor in
      var (isListening, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening == 1 else {
        return false
      }
      var (address, count) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let result = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &count) }
      }
      return result == 0 && Int(in_port_t(bigEndian: address.sin_port)) == port
    }
    return listening.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
  }

  /// Once. A child that another test is just starting may still have the socket, so it stops listening first.
  func close() {
    shutdown(descriptor, Int32(SHUT_RDWR))
    _ = Glibc.close(descriptor)
  }
}
