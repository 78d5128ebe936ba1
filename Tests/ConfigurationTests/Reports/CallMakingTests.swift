import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("Values in calls")
struct CallMakingTests {
  /// An app whose only action sends these keys of a request.
  private func call(_ request: String, _ arguments: JSONValue, backend: String? = nil) throws -> CallRecord {
    var club = try Club(
      """
      bundleId: com.example.small
      reports:
        on:
          action.go: [{\(request)}]
      """)
    club.answer = { _ in nil }
    try club.use("go", arguments)
    return try #require(club.open.first)
  }

  @Test(
    "a value within a URL is percent-encoded, so that it cannot change the URL's structure",
    arguments: [
      ("a/b", "a%2Fb"), ("..", ".."), ("a?b=c&d#e", "a%3Fb%3Dc%26d%23e"), ("a b", "a%20b"), ("50%", "50%25"),
      ("ü", "%C3%BC"), ("@evil.example", "%40evil.example"), ("a\r\nb", "a%0D%0Ab"), ("a:b\\c", "a%3Ab%5Cc"),
      ("\u{0}", "%00"), ("it's~ok-_.", "it%27s~ok-_."),
    ])
  func encoded(_ value: String, _ expected: String) throws {
    let record = try call(
      #"url: "{{backend}}/m/{{arg.x}}/end", query: {q: "{{arg.x}}", "k y": "1"}"#, ["x": .string(value)])
    #expect(record.call.url == "http://127.0.0.1:8080/m/\(expected)/end?q=\(expected)&k%20y=1")
  }

  @Test("a form's values are encoded the same way")
  func form() throws {
    let record = try call(#"url: "{{backend}}/f", form: {a: "{{arg.x}}", b: "1 + 1"}"#, ["x": "1&c=2"])
    #expect(record.call.body == "a=1%26c%3D2&b=1%20%2B%201")
    #expect(record.call.headers.first { $0.name == "content-type" }?.value == "application/x-www-form-urlencoded")
  }

  @Test(
    "a line break in a value does not start another header",
    arguments: ["\r\n", "\n", "\r", "\u{85}", "\u{2028}", "\u{0}", "\u{1}", "\u{7F}"])
  func header(_ line: String) throws {
    let record = try call(
      #"url: "{{backend}}/h", headers: {x-name: "{{arg.x}}"}"#, ["x": .string("a\(line)x-admin: 1")])
    let values = record.call.headers.map(\.value)
    #expect(record.call.headers.map(\.name) == ["x-name"] && values == ["ax-admin: 1"])
    #expect(values.joined().utf8.allSatisfy { $0 >= 0x20 })
  }

  @Test("a JSON body keeps types, and quotes text; a missing optional value is null")
  func json() throws {
    let record = try call(
      #"url: "{{backend}}/j", json: {n: "{{arg.n}}", t: "n is {{arg.n}}", q: "{{arg.q}}", no: "{{arg.no?}}"}"#,
      ["n": 3, "q": "\"},\"admin\":true"])
    let body = try JSONValue.parse(Array((record.call.body ?? "").utf8))
    #expect(body == ["n": 3, "t": "n is 3", "q": "\"},\"admin\":true", "no": .null])
  }

  @Test("a call without a required value ends before it is sent, with the reason")
  func missing() throws {
    var club = try Club(
      """
      bundleId: com.example.small
      reports:
        on:
          action.go: [{url: "{{backend}}/{{arg.x}}"}, {url: "{{backend}}/fine"}]
      """)
    try club.use("go", ["y": 1])
    #expect(club.lines == ["GET /fine"])
    #expect(club.ends.first?.failure == .missingValue && club.ends.first?.url == nil)
    #expect(club.ends.first?.sentence.contains("{{arg.x}}") == true)
  }

  @Test("a header of one request overrides the header of all requests")
  func ownHeader() throws {
    var club = try Club(
      """
      bundleId: com.example.small
      reports:
        headers: {authorization: "Bearer {{user.session}}", x-app: small}
        on:
          action.go: [{url: "{{backend}}/a", headers: {Authorization: none}}]
      """)
    try club.use("go", [:])
    #expect(club.calls.first?.headers == ["Authorization": "none", "x-app": "small"])
  }

  @Test("a redirect is an answer without success", arguments: [301, 302, 303, 307, 308])
  func redirect(_ status: Int) throws {
    var club = try Club()
    club.answer = { _ in .answered(status: status, body: ["follows": ["m9"]]) }
    try club.launch()
    #expect(club.ends.allSatisfy { $0.outcome.status == status && !$0.outcome.isSuccess })
    #expect(club.bell("m9") == .empty && club.calls.count == 4)
  }

  @Test("each phone has its own identity, which survives launches; a new install has another identifier")
  func identity() throws {
    var club = try Club(devices: 2)
    for device: UInt32 in [0, 1, 0] { try club.launch(on: device) }
    let ids = club.values("deviceId", at: Club.deviceLine)
    #expect(ids[0] == ids[2] && ids[0] != ids[1])
    let sessions = club.calls.filter { $0.line == Club.deviceLine }.map { $0.headers["authorization"] }
    #expect(sessions[0] == sessions[2] && sessions[0] != sessions[1])
    try club.order(.uninstall(app: nil))
    try club.order(.reinstall(app: nil))
    #expect(club.values("deviceId", at: Club.deviceLine).last.map { !ids.contains($0) } == true)
  }
}
