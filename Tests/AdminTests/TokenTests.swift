import Testing
import WireFormats

@testable import Admin

@Suite("Tokens over the admin API")
struct TokenTests {
  static let given = String(repeating: "5a", count: 32)
  static let sound: [JSONValue.Member] = [
    .init("token", .string(given)), .init("kind", "device"), .init("device", "d3"), .init("app", "com.example.app"),
  ]

  /// The sound registration with one member changed; nil leaves it out.
  static func spoilt(_ name: String, _ value: JSONValue?) -> JSONValue {
    .object(sound.filter { $0.key != name } + (value.map { [.init(name, $0)] } ?? []))
  }

  /// S27: the kinds are separate spaces.
  @Test("tokens can be restricted to kind, app, environment and status")
  func filters() {
    var office = Office(runningActivities: 1)
    func rows(_ query: String) -> [JSONValue] { office.get("/v1/tokens?limit=1000&\(query)")["tokens"]?.elements ?? [] }
    #expect(rows("kind=device").count == 40 && rows("kind=voip").count == 40 && rows("kind=update").count == 20)
    #expect(rows("kind=pushToStart").allSatisfy { $0["topic"] == "com.example.app.push-type.liveactivity" })
    #expect(rows("environment=production").allSatisfy { $0["app"] == "com.example.store" })
    #expect(Set(rows("").compactMap { $0["token"]?.string }).count == rows("").count)
    #expect(rows("live=false").isEmpty && rows("kind=controls").isEmpty)
    let keys = rows("kind=update").first?.members?.map(\.key)
    #expect(
      keys == [
        "token", "kind", "device", "app", "topic", "environment", "attributesType", "activity", "live", "given",
      ])
  }

  @Test("the tokens of a cell end at the fleet's last device, whatever the cursor is")
  func beyond() {
    var office = Office()
    for cursor in ["20.0", "4294967295.0"] {
      let answer = office.get("/v1/tokens?cell=3/16&cursor=\(cursor)")
      #expect(answer["tokens"] == [] && answer["next"] == .null, "\(answer.text)")
    }
  }

  @Test("tokens come in pages with each token once", arguments: [1, 7, 100])
  func paging(limit: Int) {
    var office = Office()
    var seen: [String] = []
    var target: String? = "/v1/tokens?limit=\(limit)"
    while let asked = target {
      let page = office.get(asked)
      let rows = page["tokens"]?.elements ?? []
      #expect(rows.count <= limit)
      seen += rows.compactMap { $0["token"]?.string }
      target = page["next"]?.string.map { "/v1/tokens?limit=\(limit)&cursor=\($0)" }
    }
    #expect(seen.count == 20 * 6 && Set(seen).count == seen.count)
  }

  @Test(
    "tokens come in one answer, portion by portion, and equal those of the pages",
    arguments: ["", "?kind=device&live=true"])
  func lines(query: String) throws {
    var office = Office(devices: 300)
    let accept = Office.local + [("accept", "application/x-ndjson")]
    let answer = office.ask("GET", "/v1/tokens\(query)", headers: accept)
    #expect(answer.contentType == "application/x-ndjson")
    var lines = try #require(answer.lines)
    var text = ""
    var portions = 0
    while let portion = lines.portion(office.simulator, wall: office.wall) {
      #expect(portion.count <= 100)
      text += String(decoding: TokenLines.write(portion), as: UTF8.self)
      portions += 1
    }
    let rows = text.split(separator: "\n").map { try? JSONValue.parse(Array($0.utf8)) }
    var paged: [JSONValue] = []
    var target: String? = "/v1/tokens\(query)\(query.isEmpty ? "?" : "&")limit=1000"
    let first = target ?? ""
    while let asked = target {
      let page = office.get(asked)
      paged += page["tokens"]?.elements ?? []
      target = page["next"]?.string.map { "\(first)&cursor=\($0)" }
    }
    #expect(rows == paged && portions > 5 && !text.isEmpty)
    #expect(office.ask("HEAD", "/v1/tokens", headers: accept).lines == nil)
    for paging in ["limit=5", "cursor=1.0"] {
      let refused = office.ask("GET", "/v1/tokens?\(paging)", headers: accept)
      #expect(refused.status == 400 && refused.error.contains("is only for pages"))
    }
  }

  @Test("the tokens of one device are found without reading the fleet, in pages and as lines")
  func oneDevice() throws {
    var office = Office(devices: 150_000, runningActivities: 1)
    let rows = office.get("/v1/tokens?device=d149999")["tokens"]?.elements ?? []
    #expect(rows.count == 7 && rows.allSatisfy { $0["device"] == "d149999" })
    let kind = office.get("/v1/tokens?device=d149999&kind=update")
    #expect(kind["tokens"]?.elements?.count == 1 && kind["next"] == .null)
    var paged: [JSONValue] = []
    var cursor = ""
    repeat {
      let page = office.get("/v1/tokens?device=d7&limit=2\(cursor)")
      paged += page["tokens"]?.elements ?? []
      cursor = page["next"]?.string.map { "&cursor=\($0)" } ?? ""
    } while !cursor.isEmpty
    let accept = Office.local + [("accept", "application/json, application/X-NDJSON")]
    var lines = try #require(office.ask("GET", "/v1/tokens?device=d7", headers: accept).lines)
    var streamed: [JSONValue] = []
    while let portion = lines.portion(office.simulator, wall: office.wall) { streamed += portion.map(\.json) }
    #expect(paged.count == 7 && paged == streamed)
  }

  @Test(
    "the tokens of a device that the fleet does not have, or of another page, are an error",
    arguments: [("device=d20", "d0 to d19"), ("device=17", "such as d17"), ("device=d3&cursor=4.0", "`next`")])
  func noDevice(query: String, sentence: String) {
    var office = Office()
    let response = office.ask("GET", "/v1/tokens?\(query)")
    #expect(response.status == 400 && response.error.contains(sentence))
  }

  @Test("the user's tokens are registered once, and lead to their device")
  func register() {
    var office = Office()
    let response = office.post("/v1/tokens", .object(Self.sound))
    #expect(response.status == 201)
    #expect(response.json["token"]?.string == Self.given && response.json["given"] == true)
    #expect(response.json["topic"] == "com.example.app" && response.json["live"] == true)
    #expect(office.token("d3") == Self.given)
    office.push(Self.given)
    #expect(office.newestPush()?["device"] == "d3" && office.newestPush()?["outcome"] == "banner")
    let again = office.post("/v1/tokens", Self.spoilt("device", "d4"))
    #expect(again.status == 409 && again.field == "token")
    #expect(office.post("/v1/tokens", Self.spoilt("token", .string(office.token("d7")))).status == 409)
  }

  @Test("tokens of every kind can be registered")
  func kinds() {
    var office = Office(runningActivities: 1)
    for (number, kind) in ["voip", "pushToStart", "update"].enumerated() {
      let token = String(repeating: "0\(number)", count: 100)
      let order: JSONValue = ["token": .string(token), "kind": .string(kind), "device": "d3", "app": "com.example.app"]
      let response = office.post("/v1/tokens", order)
      #expect(
        response.status == 201 && response.json["kind"]?.string == kind && response.json["token"]?.string == token)
    }
  }

  @Test("a token in upper case is read, and shown in lower case")
  func upperCase() {
    var office = Office()
    let order = Self.spoilt("token", .string(Self.given.uppercased()))
    #expect(office.post("/v1/tokens", order).json["token"]?.string == Self.given)
  }

  @Test(
    "a token with one invalid value cannot be registered",
    arguments: [
      ("token", nil, 422), ("token", "xyz", 422), ("token", "5a5", 422), ("token", "", 422), ("token", 7, 422),
      ("token", .string(String(repeating: "5a", count: 129)), 422), ("kind", nil, 422), ("kind", "fax", 422),
      ("kind", "controls", 422), ("device", nil, 422), ("device", "17", 422), ("device", "d20", 404),
      ("app", nil, 422), ("app", "com.unknown", 422), ("attributesType", "MatchAttributes", 422),
      ("activity", "x", 422),
      ("colour", "red", 422),
    ] as [(String, JSONValue?, Int)])
  func spoiltRegistration(name: String, value: JSONValue?, status: Int) {
    var office = Office()
    let before = office.get("/v1/tokens")
    let response = office.post("/v1/tokens", Self.spoilt(name, value))
    #expect(response.status == status && response.field == name && !response.error.isEmpty)
    #expect(office.get("/v1/tokens") == before)
  }

  @Test("a token cannot be registered for an app that is not installed")
  func removedApp() {
    var office = Office()
    _ = office.act("d3", ["do": "uninstall"])
    let response = office.post("/v1/tokens", .object(Self.sound))
    #expect(response.status == 422 && response.field == "app")
  }
}
