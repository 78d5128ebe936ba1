import CLibevent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connected socket that is not served yet.
struct Socket: Sendable {
  let descriptor: Int32

  /// Makes a stream socket that child processes do not inherit, and returns its descriptor, or a negative number if
  /// that failed.
  static func stream(_ family: Int32) -> Int32 {
    #if canImport(Darwin)
      let descriptor = socket(family, SOCK_STREAM, 0)
      if descriptor >= 0 { evutil_make_socket_closeonexec(descriptor) }
      return descriptor
    #else
      // In one call: a child that another thread starts meanwhile would hold the port.
      return socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
  }

  /// Disables Nagle's algorithm: small frames are sent at once.
  func sendWithoutDelay() {
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout.size(ofValue: on)))
  }

  /// From now on, closing resets the connection.
  func resetOnClose() {
    #if canImport(Darwin)
      var setting = linger(l_onoff: 1, l_linger: 0)
    #else
      var setting = Glibc.linger(l_onoff: 1, l_linger: 0)
    #endif
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &setting, socklen_t(MemoryLayout.size(ofValue: setting)))
  }

  /// The first waiting bytes, without consuming them.
  func peek(_ memory: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
    let count = recv(descriptor, memory.baseAddress, memory.count, Int32(MSG_PEEK))
    return UnsafeRawBufferPointer(rebasing: memory[..<max(count, 0)])
  }

  /// Returns true if at least that many bytes wait to be read.
  func hasUnread(_ count: Int) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { peek($0).count == count }
  }

  /// Reads and ignores data. Returns false at the end of the data.
  func discard(_ memory: UnsafeMutableRawBufferPointer) -> Bool {
    let count = recv(descriptor, memory.baseAddress, memory.count, 0)
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
  }

  /// Writes what fits: for a few bytes on a new connection.
  func send(_ bytes: [UInt8]) {
    #if canImport(Darwin)
      _ = Darwin.send(descriptor, bytes, bytes.count, 0)
    #else
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
  }

  func read(_ memory: UnsafeMutableRawPointer, _ room: Int) -> TLSStream.Outcome {
    while true {
      let count = recv(descriptor, memory, room, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .ended }
      guard errno == EINTR else { return errno == EAGAIN ? .wantsRead : .broken }
    }
  }

  func write(_ memory: UnsafeRawPointer, _ count: Int) -> TLSStream.Outcome {
    while true {
      #if canImport(Darwin)
        let written = Darwin.send(descriptor, memory, count, 0)
      #else
        let written = Glibc.send(descriptor, memory, count, Int32(MSG_NOSIGNAL))
      #endif
      if written >= 0 { return .bytes(written) }
      guard errno == EINTR else { return errno == EAGAIN ? .wantsWrite : .broken }
    }
  }

  /// True if the peer has sent FIN or RST, without reading earlier data.
  var otherEndIsGone: Bool {
    #if canImport(Darwin)
      let asked: Int16 = 0
    #else
      // POLLRDHUP, a macro of Linux that needs _GNU_SOURCE.
      let asked: Int16 = 0x2000
    #endif
    var entry = pollfd(fd: descriptor, events: asked, revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & (asked | Int16(POLLHUP | POLLERR)) != 0
  }

  func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  func close() { evutil_closesocket(descriptor) }

  /// Address and port in numbers, such as `127.0.0.1:50123` or `[::1]:50123`; `unix` for a Unix socket.
  static func describe(_ address: UnsafePointer<sockaddr>, _ count: socklen_t) -> String {
    guard Int32(address.pointee.sa_family) != AF_UNIX else { return "unix" }
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var service = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let flags = Int32(NI_NUMERICHOST | NI_NUMERICSERV)
    let result = getnameinfo(
      address, count, &host, socklen_t(host.count), &service, socklen_t(service.count), flags)
    guard result == 0 else { return "unknown" }
    let name = text(host)
    return name.contains(":") ? "[\(name)]:\(text(service))" : "\(name):\(text(service))"
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
