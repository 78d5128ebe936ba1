import CLibevent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A socket bound to an address, not yet listening.
package struct BoundSocket {
  let descriptor: Int32
  package let host: String
  /// 0 for a Unix socket.
  package let port: Int
  /// The path of a Unix socket; nil for an address.
  package private(set) var path: String?

  /// Port 0 lets the system choose.
  package init(host: String, port: Int) throws(ListenFailure) {
    guard (0...65_535).contains(port) else { throw .portOutOfRange(port) }
    var hints = addrinfo()
    hints.ai_flags = Int32(AI_PASSIVE | AI_NUMERICSERV)
    hints.ai_family = AF_UNSPEC
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var found: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, String(port), &hints, &found)
    defer { freeaddrinfo(found) }
    guard result == 0, let address = found?.pointee else { throw .unknownHost(host) }

    let descriptor = Socket.stream(address.ai_family)
    guard descriptor >= 0 else { throw .current(host: host, port: port) }
    evutil_make_listen_socket_reuseable(descriptor)
    guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
      evutil_make_socket_nonblocking(descriptor) == 0
    else {
      let failure = ListenFailure.current(host: host, port: port)
      evutil_closesocket(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    self.host = host
    self.port = Self.port(of: descriptor) ?? port
  }

  /// A Unix socket. The file of a server that was killed is replaced; that of a server that listens is not.
  package init(path: String) throws(ListenFailure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= room else {
      throw .pathFailed(path, reason: "the path is longer than \(room) bytes")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    func call(_ body: (UnsafePointer<sockaddr>) -> Int32) -> Int32 {
      withUnsafePointer(to: address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) } }
    }
    // For any file, connect() fails as it does for a socket on which nobody listens.
    var file = stat()
    if lstat(path, &file) == 0, file.st_mode & S_IFMT != S_IFSOCK {
      throw .pathFailed(path, reason: "there is a file that is not a socket")
    }
    let probe = Socket.stream(AF_UNIX)
    guard probe >= 0 else { throw .currentPath(path) }
    let result = call { connect(probe, $0, size) }
    let isStale = result != 0 && errno == ECONNREFUSED
    evutil_closesocket(probe)
    guard result != 0 else { throw .pathFailed(path, reason: "another program listens there") }
    if isStale { unlink(path) }
    let descriptor = Socket.stream(AF_UNIX)
    guard descriptor >= 0 else { throw .currentPath(path) }
    guard call({ bind(descriptor, $0, size) }) == 0, evutil_make_socket_nonblocking(descriptor) == 0
    else {
      let failure = ListenFailure.currentPath(path)
      evutil_closesocket(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    (host, port, self.path) = (path, 0, path)
  }

  private static func port(of descriptor: Int32) -> Int? {
    var address = sockaddr_storage()
    var count = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &count) }
    }
    guard result == 0 else { return nil }
    // IPv4 and IPv6 have the port at the same offset.
    return withUnsafeBytes(of: &address) { Int($0[2]) << 8 | Int($0[3]) }
  }
}

/// The reason why listening on an address failed.
package enum ListenFailure: Error, Hashable, CustomStringConvertible {
  case portInUse(host: String, port: Int)
  case addressNotAvailable(host: String)
  case unknownHost(String)
  case portOutOfRange(Int)
  case notPermitted(port: Int)
  case other(host: String, port: Int, reason: String)
  /// A Unix socket.
  case pathFailed(String, reason: String)

  static func currentPath(_ path: String) -> ListenFailure {
    .pathFailed(path, reason: String(cString: strerror(errno)))
  }

  /// The failure for the current `errno`.
  static func current(host: String, port: Int) -> ListenFailure {
    switch errno {
    case EADDRINUSE: .portInUse(host: host, port: port)
    case EADDRNOTAVAIL: .addressNotAvailable(host: host)
    case EACCES: .notPermitted(port: port)
    case let number: .other(host: host, port: port, reason: String(cString: strerror(number)))
    }
  }

  package var description: String {
    switch self {
    case .portInUse(let host, let port):
      "port \(port) of \(host) is in use by another program; choose another port, or 0 for any free port"
    case .addressNotAvailable(let host): "\(host) is not an address of this machine"
    case .unknownHost(let host): "\(host) is neither an address nor a known name"
    case .portOutOfRange(let port): "port \(port) is out of range; it must be from 0 (any free port) to 65535"
    case .notPermitted(let port):
      "this user may not listen on port \(port); ports below 1024 need root or the capability CAP_NET_BIND_SERVICE"
    case .other(let host, let port, let reason): "cannot listen on port \(port) of \(host): \(reason)"
    case .pathFailed(let path, let reason): "cannot listen at \(path): \(reason)"
    }
  }
}
