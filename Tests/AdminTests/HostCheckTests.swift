import APNs
import Testing

@testable import Admin

@Suite("The check of Host and Origin")
struct HostCheckTests {
  func status(_ headers: [(name: String, value: String)], allowed: [String] = []) -> Int {
    status("GET", "/health", headers, allowed: allowed)
  }

  func status(
    _ method: String, _ target: String, _ headers: [(name: String, value: String)], allowed: [String] = []
  ) -> Int {
    var office = Office(devices: 1)
    let desk = AdminService(version: "0.1.0", allowedHosts: allowed)
    let request = AdminRequest(method: method, target: target, headers: headers, body: [])
    return desk.answer(request, &office.simulator, wall: Office.noon).response.status
  }

  @Test(
    "the host check accepts the names of this machine, with any port",
    arguments: [
      "localhost", "localhost:2190", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:2190", "localhost:",
    ])
  func localHosts(host: String) { #expect(status([("Host", host)]) == 200) }

  @Test(
    "the host check refuses other names, which a web page may have for this address",
    arguments: [
      "evil.example", "evil.example:2190", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.256",
      "127.0.0.1@evil.example", "localhost:2190@evil.example", "[::1].evil.example", "[::1", "::1", "10.0.0",
      "10.0.0.0001", "localhost.", "localhost:http", ":2190",
    ])
  func otherHosts(host: String) { #expect(status([("host", host)]) == 403) }

  @Test(
    "the host check accepts any address, because only a name can be made to lead here",
    arguments: ["10.0.0.1", "10.0.0.1:2190", "0.0.0.0", "172.17.0.2", "[::2]", "[fd00::1]:2190"])
  func addresses(host: String) {
    #expect(status([("host", host)]) == 200)
    #expect(status([("host", host), ("origin", "http://" + host)]) == 200, "its own page")
    #expect(status([("host", host), ("origin", "http://10.0.0.9")]) == 403, "a page of another address")
    #expect(status([("host", host), ("origin", "http://" + host + "1")]) == 403, "a page of another port or address")
  }

  @Test("the host check requires exactly one Host header")
  func oneHost() {
    #expect(status([]) == 400)
    #expect(status([("host", "")]) == 400)
    #expect(status([("host", "localhost"), ("Host", "localhost")]) == 400)
  }

  @Test(
    "the host check accepts a name from the settings",
    arguments: [("Box.local", "box.local"), ("pushpit", "pushpit:2190")])
  func allowedHosts(allowed: String, host: String) {
    #expect(status([("host", host)], allowed: [allowed]) == 200)
    #expect(status([("host", host)]) == 403)
  }

  @Test("the host check lists each accepted host once, without wildcards and networks")
  func names() {
    let allowed = ["127.0.0.1", "box.test", "*.box.test", "10.0.0.0/8", "BOX.test"]
    let problem = #expect(throws: AdminProblem.self) {
      try HostCheck(allowed: allowed).admit(
        AdminRequest(method: "GET", target: "/", headers: [("host", "*.box.test")], body: []))
    }
    #expect(
      problem?.sentence.contains("Host must be an address or localhost, 127.0.0.1, [::1] or box.test, not") == true)
  }

  @Test(
    "the host check refuses pages of other origins",
    arguments: [
      "https://evil.example", "null", "http://localhost.evil.example", "https://10.0.0.1", "", "localhost",
      "file://localhost", "http://localhost/", "http://evil.example@localhost", "http://localhost:3000",
      "https://localhost", "http://127.0.0.1", "http://[::1]", "http://localhost.", "http://localhost:080x",
    ])
  func otherOrigins(origin: String) { #expect(status([("host", "localhost"), ("Origin", origin)]) == 403) }

  @Test(
    "the host check accepts the page of the requested scheme, name and port",
    arguments: [
      ("localhost", "http://localhost"), ("localhost:80", "http://localhost"), ("localhost", "http://LOCALHOST:80"),
      ("localhost:2190", "http://localhost:2190"), ("127.0.0.1:2190", "http://127.0.0.1:2190"),
      ("[::1]:2190", "http://[::1]:2190"), ("localhost:", "http://localhost"),
    ])
  func ownOrigin(host: String, origin: String) {
    #expect(status([("host", host), ("origin", origin)]) == 200)
    #expect(status("POST", "/v1/reset", [("host", host), ("origin", origin)]) == 200)
  }

  @Test(
    "the host check refuses a page of another scheme, name or port of this machine, for orders as for reading",
    arguments: ["https://localhost:2190", "http://localhost:2191", "http://localhost", "http://127.0.0.1:2190", "null"])
  func otherPorts(origin: String) {
    for (method, target) in [("GET", "/health"), ("POST", "/v1/reset"), ("DELETE", "/v1/faults/x")] {
      #expect(status(method, target, [("host", "localhost:2190"), ("origin", origin)]) == 403, "\(method)")
    }
  }

  @Test("the host check refuses requests that a browser marks as from another site, and orders as from another origin")
  func fetchSites() {
    for (site, reading, order) in [
      ("cross-site", 403, 403), ("Cross-Site", 403, 403), ("same-site", 200, 403), ("Same-Site", 200, 403),
      ("same-origin", 200, 200), ("none", 200, 200), ("new-word", 200, 403),
    ] {
      let headers = [("host", "localhost"), ("Sec-Fetch-Site", site)]
      #expect(status(headers) == reading, "\(site)")
      #expect(status("HEAD", "/health", headers) == reading, "\(site)")
      #expect(status("POST", "/v1/reset", headers) == order, "\(site)")
      #expect((status("DELETE", "/v1/faults/x", headers) == 403) == (order == 403), "\(site)")
      #expect((status("PUT", "/v1/sessions/x/expectations", headers) == 403) == (order == 403), "\(site)")
    }
  }

  @Test("an absolute form names this server, or is refused")
  func absoluteForms() {
    var office = Office(devices: 1)
    for (target, status) in [
      ("http://localhost:2190/health", 200), ("HTTP://127.0.0.1/health", 200), ("http://[::1]:1/health?", 200),
      ("http://evil.example/health", 400), ("http://localhost@evil.example/health", 400), ("http:///health", 400),
      ("https://evil.example/health", 400), ("evil.example:80", 400),
    ] {
      #expect(office.ask("GET", target).status == status, "\(target)")
    }
  }

  @Test("an order with a body must be declared as JSON; without a body that is optional")
  func contentTypes() {
    var office = Office(devices: 1)
    let advance = Array(#"{"advance":"1s"}"#.utf8)
    let json: [[(name: String, value: String)]] = [
      [("content-type", "application/json")], [("Content-Type", "Application/JSON; charset=utf-8")],
      [("content-type", "application/merge-patch+json")],
    ]
    let others: [[(name: String, value: String)]] = [
      [("content-type", "text/plain")], [("content-type", "application/x-www-form-urlencoded")], [("content-type", "")],
      [("content-type", "text/plain; application/json")], [("content-type", "multipart/form-data")],
      [("content-type", "application/json"), ("content-type", "text/plain")],
    ]
    for headers in json {
      #expect(office.ask("POST", "/v1/clock", headers: Office.local + headers, body: advance).status == 200)
      #expect(office.ask("POST", "/v1/reset", headers: Office.local + headers).status == 200)
    }
    #expect(office.ask("POST", "/v1/reset").status == 200)
    let before = office.get("/v1/clock")
    for headers in others {
      let refused = office.ask("POST", "/v1/clock", headers: Office.local + headers, body: advance)
      #expect(refused.status == 415 && refused.field == "content-type", "\(headers)")
      #expect(office.ask("POST", "/v1/reset", headers: Office.local + headers).status == 415, "\(headers)")
    }
    #expect(office.ask("POST", "/v1/clock", body: advance).status == 415)
    #expect(office.get("/v1/clock") == before)
    // Where nothing changes, nobody looks.
    #expect(office.ask("GET", "/health", headers: Office.local + [("content-type", "text/plain")]).status == 200)
  }

  @Test("the host check never accepts an order of a page of another origin, and never sends a CORS header")
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
