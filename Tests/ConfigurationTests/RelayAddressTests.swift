import Configuration
import Testing

@Suite("The address of a relay's listener")
struct RelayAddressTests {
  @Test(
    "the address of a relay is a port of loopback, an address and a port, or a path",
    arguments: [
      ("2199", RelayAddress.port(host: "127.0.0.1", 2199), "127.0.0.1:2199"),
      ("0", .port(host: "127.0.0.1", 0), "127.0.0.1:0"),
      ("10.0.0.4:2199", .port(host: "10.0.0.4", 2199), "10.0.0.4:2199"),
      ("pod-3.test:1", .port(host: "pod-3.test", 1), "pod-3.test:1"),
      ("[::1]:2199", .port(host: "::1", 2199), "[::1]:2199"),
      ("/run/pushpit/3.sock", .path("/run/pushpit/3.sock"), "/run/pushpit/3.sock"),
    ])
  func read(text: String, address: RelayAddress, shown: String) {
    #expect(RelayAddress(text) == address)
    #expect(address.text == shown && RelayAddress(shown) == address)
  }

  @Test(
    "the address of a relay is refused without a port, with one beyond 65535, and as a URL",
    arguments: ["", "host", "host:", ":1", "70000", "1:70000", "-1", "http://127.0.0.1:1", "a b:1", "run/x.sock"])
  func refuse(text: String) {
    #expect(RelayAddress(text) == nil)
  }
}
