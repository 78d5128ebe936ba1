import Testing

@testable import Admin

@Suite("The doorkeeper")
struct DoorkeeperTests {
  func status(_ headers: [(name: String, value: String)], allowed: [String] = []) -> Int {
    var office = Office(devices: 1)
    let desk = AdminDesk(version: "0.1.0", allowedHosts: allowed)
    let request = AdminRequest(method: "GET", target: "/health", headers: headers, body: [])
    return desk.answer(request, &office.station, wall: Office.noon).response.status
  }

  @Test(
    "lets in who asks for this machine, whatever the port",
    arguments: [
      "localhost", "localhost:2190", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:2190", "localhost:",
    ])
  func localHosts(host: String) { #expect(status([("Host", host)]) == 200) }

  @Test(
    "turns away who asks by another name, which may be a web page's own for this address",
    arguments: [
      "evil.example", "evil.example:2190", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1",
      "127.0.0.1@evil.example", "localhost:2190@evil.example", "[::1].evil.example", "[::2]", "[::1", "::1",
      "localhost.",
      "localhost:http", "0.0.0.0", ":2190",
    ])
  func otherHosts(host: String) { #expect(status([("host", host)]) == 403) }

  @Test("wants exactly one Host header")
  func oneHost() {
    #expect(status([]) == 400)
    #expect(status([("host", "")]) == 400)
    #expect(status([("host", "localhost"), ("Host", "localhost")]) == 400)
  }

  @Test(
    "lets in an address that the server is bound to",
    arguments: [("192.168.1.5", "192.168.1.5:2190"), ("fd00::1", "[fd00::1]:2190"), ("Box.local", "box.local")])
  func allowedHosts(allowed: String, host: String) {
    #expect(status([("host", host)], allowed: [allowed]) == 200)
    #expect(status([("host", host)]) == 403)
  }

  @Test("names each host it answers to once, and neither wildcards nor networks")
  func names() {
    let allowed = ["127.0.0.1", "box.test", "*.box.test", "10.0.0.0/8", "BOX.test"]
    let problem = #expect(throws: AdminProblem.self) {
      try Doorkeeper(allowed: allowed).admit(
        AdminRequest(method: "GET", target: "/", headers: [("host", "*.box.test")], body: []))
    }
    #expect(problem?.sentence.contains("localhost, 127.0.0.1, [::1] and box.test, not by") == true)
  }

  @Test(
    "turns away pages of other origins",
    arguments: [
      "https://evil.example", "null", "http://localhost.evil.example", "https://10.0.0.1", "", "localhost",
      "file://localhost", "http://localhost/", "http://evil.example@localhost",
    ])
  func otherOrigins(origin: String) { #expect(status([("host", "localhost"), ("Origin", origin)]) == 403) }

  @Test(
    "lets in pages of this machine", arguments: ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"])
  func localOrigins(origin: String) { #expect(status([("host", "localhost"), ("origin", origin)]) == 200) }

  @Test("never lets a page of another origin order anything, and never sends a CORS header")
  func ordersFromElsewhere() {
    var office = Office()
    let before = office.get("/v1/clock")
    let response = office.ask(
      "POST", "/v1/clock", headers: Office.local + [("origin", "https://evil.example")],
      body: Array(#"{"advance":"1h"}"#.utf8))
    #expect(response.status == 403 && response.field == "origin")
    #expect(office.get("/v1/clock") == before)
    #expect(!response.headers.contains { $0.name.hasPrefix("access-control-") })
  }
}
