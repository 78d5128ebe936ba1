import Foundation
import Testing
import Transport

@Suite("Calls of apps stay on this machine", .timeLimit(.minutes(15))) struct CallReachTests {
  @Test(
    "All other hosts are refused by name or address",
    arguments: [
      "192.0.2.1", "[2001:db8::1]", "[::ffff:192.0.2.1]", "[::127.0.0.1]", "[::]", "0.0.0.0", "3221225985",
      "0xc0.0.2.1", "127.0.0.1@192.0.2.1", "backend.invalid", "localhost.invalid", "127.0.0.1.invalid", "evillocalhost",
      "evil-localhost", "app.evillocalhost", "localhost.localhost.invalid",
    ])
  func others(host: String) async throws {
    let phones = try Phones()
    let failure = await phones.get("http://\(host):9/")?.failure
    #expect(failure?.kind == .hostNotAllowed)
    #expect(failure?.description.contains("not among the allowed hosts; nothing was sent") == true)
  }

  @Test(
    "This machine is reached by all its names",
    arguments: ["127.0.0.1", "localhost", "LOCALHOST", "app.localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]"])
  func here(host: String) async throws {
    let server = try WebServer { _ in .answer(200) }
    let phones = try Phones()
    #expect(await phones.get("http://\(host):\(server.port)/")?.answer?.status == 200)
  }

  @Test(
    "A name of this machine that leads elsewhere is refused before a packet is sent",
    arguments: ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"])
  func elsewhere(address: String) async throws {
    let phones = try Phones { $0.addresses = ["localhost:9:\(address)"] }
    let failure = await phones.get("http://localhost:9/")?.failure
    #expect(failure?.kind == .hostNotAllowed)
    #expect(failure?.description.hasPrefix("localhost:9 leads to ") == true)
    #expect(failure?.description.contains(address) == true)
  }

  @Test("A permitted host may be called, in upper or lower case") func named() async throws {
    let server = try WebServer { _ in .answer(200, body: "here") }
    let phones = try Phones {
      $0.allowedHosts = ["Backend.Invalid", "0.0.0.0"]
      $0.addresses = ["backend.invalid:\(server.port):127.0.0.1"]
    }
    #expect(await phones.get("http://BACKEND.invalid:\(server.port)/")?.text == "here")
    #expect(server.requests.first?["host"]?.lowercased() == "backend.invalid:\(server.port)")
    // No address of loopback, and yet a packet to it stays here.
    #expect(await phones.get("http://0.0.0.0:\(server.port)/")?.text == "here")
    #expect(await phones.get("http://other.invalid:\(server.port)/")?.failure?.kind == .hostNotAllowed)
  }

  @Test("Proxy variables of the environment are ignored") func proxy() async {
    // In a process of its own: an environment is everybody's.
    await #expect(processExitsWith: .success) {
      for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] { setenv(name, "http://127.0.0.1:9", 1) }
      unsetenv("no_proxy")
      unsetenv("NO_PROXY")
      let server = try WebServer { _ in .answer(200) }
      let phones = try Phones()
      let end = await phones.get(server.url)
      exit(end?.answer?.status == 200 && server.accepted == 1 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
