import APNs
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin
@testable import Scenarios

@Suite("Connections, troubles and rules over the admin API")
struct DiagnosticTests {
  @Test("open connections are listed with their traffic, in pages")
  func connections() {
    var office = Office()
    office.push(office.token("d3"))
    office.push(String(repeating: "0", count: 64))
    office.simulator.world.connectionOpened(
      ProviderConnectionID(2), to: .production, peer: "127.0.0.1:50002", at: office.now)
    let page = office.get("/v1/connections")
    #expect(page["next"] == .null)
    #expect(
      page["connections"]?.elements?.first == [
        "connection": 1, "environment": "sandbox", "peer": "127.0.0.1:50001", "pushes": 2, "refused": 1,
        "certificate": nil,
      ])
    #expect(office.get("/v1/connections?limit=1")["next"] == "1")
    let rest = office.get("/v1/connections?limit=1&cursor=1")
    #expect(rest["connections"]?.elements?.map { $0["connection"] } == [2] && rest["next"] == .null)
    office.simulator.world.connectionClosed(ProviderConnectionID(1), at: office.now)
    #expect(office.get("/v1/connections")["connections"]?.elements?.count == 1)
  }

  @Test("a connection with a certificate shows what it is for, and why it is rejected if it is")
  func certificates() {
    var office = Office()
    for (number, flaw) in [(2, nil), (3, .revoked)] as [(UInt64, ProviderCertificate.Flaw?)] {
      let certificate = ProviderCertificate(
        subject: "CN=x", topics: ["com.example.app"], environments: [.sandbox],
        validity: .distantPast...Instant(seconds: 1_800_000_000), flaw: flaw)
      office.simulator.world.connectionOpened(
        ProviderConnectionID(number), to: .sandbox, peer: "p", certificate: certificate, at: office.now)
    }
    let told = office.get("/v1/connections")["connections"]?.elements?.suffix(2).map { $0["certificate"] }
    #expect(
      told?.first == [
        "subject": "CN=x", "topics": ["com.example.app"], "environments": ["sandbox"],
        "notAfter": "2027-01-15T08:00:00.000Z", "refused": nil,
      ])
    #expect(told?.last??["refused"]?.string?.contains("BadCertificate: it was revoked") == true)
  }

  @Test("troubles are listed newest first, in pages with each one once, although more arrive meanwhile")
  func troubles() {
    var office = Office()
    func trouble(_ number: Int) {
      office.report("garbage", peer: "10.0.0.\(number):1", "No TLS.")
    }
    for number in 0..<10 { trouble(number) }
    var seen: [String] = []
    var target: String? = "/v1/troubles?limit=4"
    while let asked = target {
      let page = office.get(asked)
      seen += (page["troubles"]?.elements ?? []).compactMap { $0["peer"]?.string }
      target = page["next"]?.string.map { "/v1/troubles?limit=4&cursor=\($0)" }
      trouble(100)
    }
    #expect(seen == (0..<10).reversed().map { "10.0.0.\($0):1" })
    let first = office.get("/v1/troubles")["troubles"]?.elements?.first
    #expect(
      first == [
        "at": "2026-03-01T12:00:00.000Z", "kind": "garbage", "peer": "10.0.0.100:1", "sentence": "No TLS.", "count": 3,
        "first": "2026-03-01T12:00:00.000Z",
      ])
  }

  @Test("the same trouble from one address is one row with a count, from any port")
  func repeated() {
    var office = Office()
    func trouble(_ peer: String, _ sentence: String) {
      office.report("garbage", peer: peer, sentence)
    }
    trouble("10.0.0.1:5000", "No HTTP/2.")
    for port in 1...3000 {
      office.wall = office.wall.advanced(by: .seconds(1))
      office.simulator.clock.run(wall: office.wall)
      trouble("127.0.0.1:\(port)", "No TLS.")
    }
    let rows = office.get("/v1/troubles")["troubles"]?.elements ?? []
    #expect(rows.map { $0["count"] } == [3000, 1])
    #expect(rows.map { $0["peer"] } == ["127.0.0.1:3000", "10.0.0.1:5000"])
    #expect(rows.first?["first"] == "2026-03-01T12:00:01.000Z")
    #expect(rows.first?["at"] == "2026-03-01T12:50:00.000Z")
  }

  @Test("a cursor to troubles that were dropped gives an empty page", arguments: ["0", "1", "999999999999"])
  func forgotten(cursor: String) {
    var office = Office()
    for number in 0..<1500 {
      office.report("garbage", peer: "127.0.0.1:1", "No TLS \(number).")
    }
    let page = office.get("/v1/troubles?cursor=\(cursor)")
    #expect(page["troubles"]?.elements?.isEmpty == (cursor != "999999999999"))
  }

  @Test("rules are listed in the order of refusal")
  func rules() {
    var office = Office()
    let rules = office.get("/v1/rules")["rules"]?.elements ?? []
    #expect(rules.map { $0["rule"]?.string } == Rule.allCases.map(\.rawValue))
    #expect(rules.first?.members?.map(\.key) == ["rule", "status", "reason", "sentence", "evidence", "source"])
    #expect(rules.first?["reason"] == "DuplicateHeaders" && rules.first?["status"] == 400)
    let channels = office.get("/v1/rules")["channelRules"]?.elements ?? []
    #expect(channels.map { $0["rule"]?.string } == ChannelRule.allCases.map(\.rawValue))
    #expect(channels.allSatisfy { $0["evidence"]?.string != nil && $0["source"]?.string?.isEmpty == false })
  }

  @Test("a refused broadcast names the rule it violated, and the rule's source")
  func refusedBroadcast() {
    var office = Office()
    office.simulator.world.receive(
      HTTPRequest(
        "POST", "/4/broadcasts/apps/\(Office.app)", fields: [("authorization", "bearer \(office.providerToken)")],
        body: Array("{}".utf8)), on: StreamID(ProviderConnectionID(1), 1), at: office.now)
    let request = office.get("/v1/broadcasts")["requests"]?.elements?.first
    #expect(request?["reason"] == "MissingChannelId" && request?["rule"] == "channelPresent")
    #expect(request?["evidence"] == "documented")
    #expect(request?["source"]?.string?.hasSuffix("(docs/behavior/channels.md#channelpresent)") == true)
  }
}
