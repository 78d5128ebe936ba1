import CLibevent

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A port for a program that Pushpit starts and that binds it soon after. As long as it is held, no other Pushpit on
/// this machine finds it, even if the program has not bound it yet: otherwise two runs could talk to one backend.
package final class FreePort {
  /// Below the range from which systems take ports for sockets without one: 32768 and up on Linux, 49152 and up on
  /// macOS. So no client socket or server on port 0 can take the port before the program binds it.
  package static let range = 20_000..<32_768

  package let number: Int
  private let claim: PortClaim?

  private init(_ number: Int, _ claim: PortClaim?) {
    self.number = number
    self.claim = claim
  }

  /// A port that is free now, chosen at random, so that two Pushpits rarely try the same one.
  package static func find(host: String, in range: Range<Int> = range) throws(ListenFailure) -> FreePort {
    let automatic = automaticPorts()
    for _ in 0..<64 {
      let port = Int.random(in: range)
      guard !automatic.contains(port), let claim = PortClaim(port) else { continue }
      do {
        return FreePort(try tried(host: host, port: port), claim)
      } catch .portInUse {
        continue
      }
    }
    let port = try tried(host: host, port: 0)
    return FreePort(port, PortClaim(port))
  }

  private static func tried(host: String, port: Int) throws(ListenFailure) -> Int {
    let socket = try BoundSocket(host: host, port: port)
    evutil_closesocket(socket.descriptor)
    return socket.port
  }

  /// The kernel's range for sockets without a port, if it publishes one.
  ///
  /// Documented: proc_sys_net_ipv4(5), ip_local_port_range.
  package static func automaticPorts() -> ClosedRange<Int> {
    var text = [UInt8](repeating: 0, count: 64)
    guard let file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "r") else { return 49_152...65_535 }
    defer { fclose(file) }
    let count = fread(&text, 1, text.count, file)
    let words = text[..<count].split { !(48...57).contains($0) }
    let numbers = words.compactMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard numbers.count == 2, numbers[0] <= numbers[1] else { return 49_152...65_535 }
    return numbers[0]...numbers[1]
  }
}
