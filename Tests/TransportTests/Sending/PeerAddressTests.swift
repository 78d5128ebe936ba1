import Testing
import Transport

@Suite("Addresses of a load run")
struct PeerAddressTests {
  @Test(
    "The name localhost and addresses of loopback are this machine",
    arguments: ["localhost", "127.0.0.1", "::1", "127.9.9.9"])
  func loopback(host: String) throws {
    let found = try PeerAddress.resolve(host, port: 2197)
    #expect(!found.addresses.isEmpty && found.addresses.allSatisfy(\.isLoopback))
    #expect(found.addresses.allSatisfy { $0.text.hasSuffix(":2197") && !$0.isApples })
  }

  @Test(
    "Addresses of Apple's networks are recognized", arguments: ["17.188.143.34", "2620:149:a44::5", "::ffff:17.1.2.3"])
  func apples(address: String) throws {
    let found = try PeerAddress.resolve(address, port: 443)
    #expect(found.addresses.allSatisfy(\.isApples) && !found.addresses.isEmpty)
    #expect(found.addresses.allSatisfy { !$0.isLoopback })
  }

  @Test("Other addresses are neither this machine nor Apple's", arguments: ["192.0.2.17", "2001:db8::17", "18.0.0.1"])
  func others(address: String) throws {
    let found = try PeerAddress.resolve(address, port: 443)
    #expect(found.addresses.allSatisfy { !$0.isApples && !$0.isLoopback })
  }

  @Test("Apple's names are recognised, and names that only contain them are not")
  func names() {
    for name in ["api.push.apple.com", "api.sandbox.push.apple.com", "apple.com", "api.push-apple.com.akadns.net"] {
      #expect(ApplesNetworks.hasName(name), "\(name)")
    }
    for name in ["localhost", "apple.com.example.org", "pineapple.com", "push.example.com"] {
      #expect(!ApplesNetworks.hasName(name), "\(name)")
    }
  }

  @Test("a host that does not exist is a problem")
  func unknown() {
    #expect(throws: PeerAddress.Problem.self) { try PeerAddress.resolve("no-such-host.invalid", port: 1) }
  }
}
