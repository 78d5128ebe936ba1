import Glibc

/// A TCP connection without anything on it.
final class PlainSocket {
  struct Refused: Error {}
  private var descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Refused() }
  }

  deinit { close() }

  func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  /// Sends as much as the system takes without waiting.
  func sendWhatFits() {
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)
    while Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) > 0 {}
  }

  /// True if anything waits to be read, an end included.
  var hasSomething: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Waits until the other side closes, or resets.
  func readToEnd() async -> [UInt8] {
    let descriptor = descriptor
    return await aside { Self.readToEnd(of: descriptor) }
  }

  func blockingReadToEnd() -> [UInt8] { Self.readToEnd(of: descriptor) }

  private static func readToEnd(of descriptor: Int32) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return all }
      all += buffer[..<count]
    }
  }

  /// Says that it sends nothing more.
  func closeHalf() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes with RST.
  func reset() {
    var setting = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
