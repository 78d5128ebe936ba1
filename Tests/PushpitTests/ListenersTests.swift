import Testing
import Transport

@testable import Pushpit

@Suite("Listeners")
struct ListenersTests {
  @Test("a start that finds its port in use suggests free ports; another failure does not")
  func portInUse() {
    let inUse = Listeners.failure(.portInUse(host: "127.0.0.1", port: 2197), at: Listeners.sandbox, others: [])
    #expect(inUse.description.hasPrefix("No port for the sandbox (--port): "), "\(inUse)")
    #expect(inUse.description.hasSuffix(" --ports 0 chooses free ports for all."), "\(inUse)")
    let other = Listeners.failure(.addressNotAvailable(host: "192.0.2.1"), at: Listeners.admin, others: [])
    #expect(other.description.hasPrefix("No port for the admin API (--admin-port): "), "\(other)")
    #expect(!other.description.contains("--ports"), "\(other)")
  }
}
