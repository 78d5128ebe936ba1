import Glibc
import Testing
import Transport

@Suite("The web server of the tests", .timeLimit(.minutes(15))) struct WebServerTests {
  @Test("The web server serves clients that come while the process has no descriptor left") func noDescriptors() async {
    // In a process of its own, because it leaves none for others.
    await #expect(processExitsWith: .success) {
      let server = try WebServer { _ in .answer(200, body: "here") }
      // An accept that waits has taken its descriptor already; the next one finds none.
      let clients = (0..<2).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
      for client in clients {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(server.port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
        try #require(result == 0)
      }
      // A server that gave up would close the second one; however long this takes, one that goes on does not.
      var (byte, time) = (UInt8(), timeval(tv_sec: 0, tv_usec: 100_000))
      setsockopt(clients[1], SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      recv(clients[1], &byte, 1, Int32(MSG_PEEK))
      time = timeval()
      setsockopt(clients[1], SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      for client in clients {
        let stream = WebStream(client)
        stream.send("GET / HTTP/1.1\r\n\r\n")
        guard let (head, body) = stream.next() else { exit(EXIT_FAILURE) }
        guard head.target == "200", body == Array("here".utf8) else { exit(EXIT_FAILURE) }
      }
      exit(EXIT_SUCCESS)
    }
  }
}
