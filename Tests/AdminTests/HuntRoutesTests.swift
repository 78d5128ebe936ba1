import Grammar
import Hunting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import Admin

@Suite("Hunts over the admin API")
struct HuntRoutesTests {
  /// A test of a backend, which is played with the faults of a variant.
  private struct Player {
    var office = Office()
    /// Attempts that the backend makes.
    let attempts: Int
    let push: String
    var faults: [JSONValue] = []

    init(attempts: Int, push: String = #"{"aps":{"alert":"hello"}}"#) {
      self.attempts = attempts
      self.push = push
    }

    /// - Returns: the report.
    mutating func hunt(_ order: JSONValue, variants: Int) -> JSONValue {
      let opened = office.post("/v1/hunts", order)
      #expect(opened.status == 201, "\(opened.text)")
      let path = "/v1/hunts/\(opened.json["id"]?.string ?? "")"
      for _ in 0..<variants {
        let next = office.post("\(path)/next", [:]).json
        guard let variant = next["play"] else { break }
        let judged = office.post("\(path)/verdict", play(variant))
        #expect(judged.status == 200, "\(judged.text)")
      }
      return office.get(path)
    }

    mutating func play(_ variant: JSONValue) -> JSONValue {
      let session = office.post("/v1/sessions", ["claim": [:]]).json
      let device = session["devices"]?.elements?.first?.string ?? ""
      let name = session["name"] ?? .null
      let orders = variant["faults"]?.elements ?? []
      faults += orders
      for order in orders {
        let fault = JSONValue.object((order.members ?? []) + [.init("session", name)])
        let set = office.post("/v1/faults", fault)
        #expect(set.status == 200, "\(set.text)")
      }
      var isTaken = false
      for _ in 0..<attempts where !isTaken {
        office.push(office.token(device), body: Array(push.utf8))
        office.advance("1s")
        isTaken = office.newestPush()?["sent"]?["status"] == 200
      }
      let notifications = office.get("/v1/devices/\(device)/screen")["notifications"]?.elements ?? []
      return [
        "variant": variant["variant"] ?? .null, "session": name, "passed": .bool(!notifications.isEmpty),
        "failure": .string("nothing is shown on \(device)"), "at": "AssertionError at test.py:7",
      ]
    }
  }

  @Test("a backend that tries once is found with one fault, in words and as a fault to set")
  func finds() throws {
    var player = Player(attempts: 1)
    // The player has one connection, and opens no other.
    let report = player.hunt(["name": "test_it", "seed": 3, "accept": ["goAway", "abort", "close"]], variants: 60)
    let find = try #require(report["finds"]?.elements?.first)
    #expect(find["words"]?.elements?.count == 1 && find["fails"] == 5 && find["plays"] == 5)
    let fault = try #require(find["faults"]?.elements?.first)
    #expect(fault["name"] == "hunt 1" && fault["limit"] == 1)
    #expect(report["refusal"] == .null && report["notes"] == [] && report["played"] == 60)
    #expect(report["finds"]?.elements?.count == 1)
    let kind = try #require(find["perturbations"]?.elements?.first?["kind"])
    #expect(report["survived"]?.elements?.contains(kind) == false)
    #expect(report["notReached"]?.elements?.contains(kind) == false)
  }

  @Test("with a backend that tries again nothing is found")
  func survives() {
    var player = Player(attempts: 9)
    // The player has one connection, and opens no other after a GOAWAY.
    let report = player.hunt(["accept": ["goAway"]], variants: 120)
    #expect(report["finds"] == [] && report["refusal"] == .null && report["played"] == 120, "\(report.text)")
    #expect(report["survived"]?.elements?.contains("answer") == true)
  }

  @Test("the same seed gives the same variants, and an earlier find is played first")
  func repeats() throws {
    var (first, second, other) = (Player(attempts: 9), Player(attempts: 9), Player(attempts: 9))
    _ = first.hunt(["seed": 3], variants: 50)
    _ = second.hunt(["seed": 3], variants: 50)
    _ = other.hunt(["seed": 4], variants: 50)
    #expect(first.faults == second.faults && first.faults != other.faults)
    var wrong = Player(attempts: 1)
    let find = try #require(wrong.hunt([:], variants: 60)["finds"]?.elements?.first)
    var third = Player(attempts: 9)
    _ = third.hunt(["kept": [find["perturbations"] ?? .null]], variants: 5)
    #expect(third.faults.last == find["faults"]?.elements?.first)
  }

  @Test("of more examples than a hunt plays, the last ones are read")
  func keepsTheLast() throws {
    let examples = (1...250).map { limit in
      [Self.kept(["limit": JSONValue(limit), "then": ["abort": true]], "abort")] as JSONValue
    }
    let order: JSONValue = ["kept": .array([["an old one"]] + examples)]
    var office = Office()
    #expect(office.post("/v1/hunts", order).status == 201)
    let kept = try HuntOrder(Fields(SourceNode(order), "The body", known: ["kept"])).kept
    #expect(kept.count == HuntOrder.mostKept && kept.first?.first?.value["limit"] == 51)
    #expect(kept.last?.first?.value["limit"] == 250)
  }

  private static func kept(_ entry: JSONValue, _ kind: String) -> JSONValue {
    ["in": "faults", "kind": .string(kind), "entry": entry]
  }

  @Test("what is accepted is not played, not even if it was found earlier")
  func accepts() {
    var player = Player(attempts: 9)
    let found = Self.kept(["limit": 1, "then": ["answer": "TooManyRequests"]], "answer")
    _ = player.hunt(["accept": ["answer", "delay", "arrival"], "kept": [[found]]], variants: 60)
    let words = Set(player.faults.compactMap { $0["then"]?.members?.first?.key })
    #expect(words.count > 4 && words.isDisjoint(with: ["answer", "delay", "arrival"]))
  }

  @Test("a word of a push that conditions of faults do not know is in no fault")
  func otherWords() {
    var player = Player(attempts: 9, push: #"{"aps":{"alert":"hello","event":"goal"}}"#)
    let report = player.hunt(["accept": ["goAway"]], variants: 60)
    #expect(report["played"] == 60 && !player.faults.contains { $0["when"]?["event"] != nil })
  }

  @Test("a failure that goes away when the test waits longer is no find, and is told in a note")
  func late() throws {
    var player = Player(attempts: 9)
    let opened = player.office.post("/v1/hunts", [:])
    #expect(opened.status == 201)
    var patient = 0
    for _ in 0..<60 {
      guard let variant = player.office.post("/v1/hunts/h1/next", [:]).json["play"] else { break }
      let isPatient = (variant["patience"]?.integer ?? 0) > 1
      if isPatient { patient += 1 }
      let isLate = variant["faults"]?.elements?.isEmpty == false && !isPatient
      let played = player.play(variant).members ?? []
      let verdict = played.filter { $0.key != "passed" } + [.init("passed", .bool(!isLate))]
      #expect(player.office.post("/v1/hunts/h1/verdict", .object(verdict)).status == 200)
    }
    let report = player.office.get("/v1/hunts/h1")
    #expect(report["finds"] == [] && report["refusal"] == .null && patient >= 4)
    #expect(report["notes"]?.elements?.count == 1)
    #expect(report["notes"]?.elements?.first?.string?.contains("waited 4 times as long") == true)
  }

  @Test("texts of any length are cut, also those of few characters with many marks")
  func longTexts() throws {
    var office = Office()
    let name = office.post("/v1/hunts", ["name": .string(String(repeating: "n", count: 5000))]).json["name"]?.string
    #expect(name?.utf8.count == 300)
    for text in ["\n" + String(repeating: "x", count: 5000), "e" + String(repeating: "\u{301}", count: 5000) + "\nx"] {
      let verdict = try HuntVerdict(
        Fields(
          SourceNode(["variant": 1, "passed": false, "session": "s", "failure": .string(text), "at": .string(text)]),
          "The body", known: ["variant", "passed", "session", "failure", "at"]))
      #expect((verdict.failure?.sentence.utf8.count ?? .max) <= 1000)
    }
  }

  @Test("a verdict about a variant that is not being played leaves its session open")
  func wrongVariant() {
    var office = Office()
    _ = office.post("/v1/hunts", [:])
    _ = office.post("/v1/hunts/h1/next", [:])
    _ = office.post("/v1/sessions", ["name": "t", "devices": ["d1"]])
    #expect(office.post("/v1/hunts/h1/verdict", ["variant": 9, "passed": true, "session": "t"]).status == 409)
    #expect(office.get("/v1/sessions/t")["open"] == true)
  }

  /// Plays with results that are given.
  private func ended(_ results: [JSONValue], pushes: Bool = true) -> JSONValue {
    var office = Office()
    _ = office.post("/v1/hunts", [:])
    for result in results {
      guard let variant = office.post("/v1/hunts/h1/next", [:]).json["play"] else { break }
      let session = office.post("/v1/sessions", ["claim": [:]]).json
      if pushes { office.push(office.token(session["devices"]?.elements?.first?.string ?? "")) }
      let members: [JSONValue.Member] = [
        .init("variant", variant["variant"] ?? .null), .init("session", session["name"] ?? .null),
      ]
      let judged = office.post("/v1/hunts/h1/verdict", .object(members + (result.members ?? [])))
      #expect(judged.status == 200, "\(judged.text)")
    }
    let over = office.post("/v1/hunts/h1/next", [:]).json["over"]
    #expect(over == nil || over == office.get("/v1/hunts/h1"))
    return office.get("/v1/hunts/h1")
  }

  @Test("a test that cannot be hunted with ends the hunt in a sentence")
  func refuses() {
    let (passed, failed): (JSONValue, JSONValue) = (["passed": true], ["passed": false, "failure": "no 17 goals"])
    #expect(
      ended([failed])["refusal"] == "The test fails without any trouble: no 17 goals")
    #expect(
      ended([["problem": "it was skipped"]])["refusal"] == "The test fails without any trouble: it was skipped")
    #expect(
      ended([passed, passed, failed])["refusal"]?.string?.contains("it passed, and then failed: no 17 goals.") == true)
    #expect(ended([passed], pushes: false)["refusal"]?.string?.contains("its session got no push") == true)
    let leaking = ended([passed, passed, passed, failed, failed, failed, failed])
    #expect(leaking["refusal"]?.string?.contains("has left something behind") == true)
    #expect(leaking["suspect"]?["purpose"] == "known" && leaking["doubt"] == .null)
    let doubtful = ended([passed, passed, passed, failed, failed, failed])
    #expect(doubtful["refusal"] == .null && doubtful["doubt"]?.string?.contains("before it was played again") == true)
    #expect(ended([passed, passed, passed, passed])["notes"]?.elements?.count == 1)
  }

  @Test("variants that could not be played are counted in a note")
  func unplayed() {
    let (passed, failed): (JSONValue, JSONValue) = (["passed": true], ["passed": false, "failure": "no 17 goals"])
    let problem: JSONValue = ["problem": "no phone is free"]
    let one = ended([passed, passed, passed, failed, problem])
    #expect(one["notes"] == ["1 variant could not be played: no phone is free"] && one["refusal"] == .null)
    let two = ended([passed, passed, passed, failed, problem, ["problem": "another one"]])
    #expect(two["notes"] == ["2 variants could not be played; the first one: no phone is free"])
  }

  @Test("a hunt that has played as many variants as it can is over, with a note")
  func most() throws {
    let order = try HuntOrder(Fields(SourceNode([:]), "The body", known: []))
    var hunt = TestHunt("h1", order, at: Office.noon, mostPlayed: 1)
    #expect(hunt.next() != .over && hunt.notes == [])
    let verdict: JSONValue = ["variant": 1, "passed": true, "session": "t"]
    let known = ["variant", "passed", "session"]
    try hunt.take(HuntVerdict(Fields(SourceNode(verdict), "The body", known: known)), in: nil)
    #expect(hunt.next() == .over && hunt.refusal == nil)
    #expect(hunt.notes == ["It has played 1 variants, the most of one hunt."])
  }

  @Test(
    "invalid input is refused in a sentence that names the member",
    arguments: [
      ("/v1/hunts", ["seed": -1], 422, "seed"), ("/v1/hunts", ["accept": ["goaway"]], 422, "accept"),
      ("/v1/hunts", ["accept": 7], 422, "accept"), ("/v1/hunts", ["kept": 7], 422, "kept"),
      ("/v1/hunts", ["kept": [[]]], 422, "kept"), ("/v1/hunts", ["kept": [[["in": "steps"]]]], 422, "kept"),
      (
        "/v1/hunts", ["kept": [[["in": "faults", "kind": "answer", "entry": ["then": ["answer": "No"]]]]]], 422, "kept"
      ),
      (
        "/v1/hunts", ["kept": [[kept(["when": ["skip": .integer(.max)], "then": ["abort": true]], "abort")]]], 422,
        "kept"
      ),
      (
        "/v1/hunts",
        [
          "kept": [
            [kept(["limit": .integer(.max), "then": ["answer": "TooManyRequests", "retryAfter": 1]], "answer")]
          ]
        ], 422, "kept"
      ), ("/v1/hunts", ["seconds": 5], 422, "seconds"),
      ("/v1/hunts/h1/verdict", ["passed": true, "session": "t"], 422, "variant"),
      ("/v1/hunts/h1/verdict", ["variant": 1, "session": "t"], 422, "passed"),
      ("/v1/hunts/h1/verdict", ["variant": 1, "passed": true], 422, "session"),
      ("/v1/hunts/h1/verdict", ["variant": 1, "passed": true, "problem": "none", "session": "t"], 422, "passed"),
      ("/v1/hunts/h1/verdict", ["variant": 9, "passed": true, "session": "t"], 409, "variant"),
      ("/v1/hunts/h1/verdict", ["variant": 1, "passed": true, "session": "u"], 404, "session"),
      ("/v1/hunts/h9/next", [:], 404, "id"),
    ] as [(String, JSONValue, Int, String)])
  func invalid(target: String, body: JSONValue, status: Int, field: String) {
    var office = Office()
    _ = office.post("/v1/hunts", [:])
    _ = office.post("/v1/hunts/h1/next", [:])
    _ = office.post("/v1/sessions", ["name": "t", "devices": ["d1"]])
    let answer = office.post(target, body)
    #expect(answer.status == status && answer.field == field, "\(answer.text)")
  }

  @Test("hunts are bounded, give way after an hour, and end when the world begins anew")
  func bounds() {
    var office = Office()
    for number in 1...HuntRegistry.most {
      #expect(office.post("/v1/hunts", [:]).json["id"] == .string("h\(number)"))
    }
    #expect(office.post("/v1/hunts", [:]).status == 503)
    #expect(office.ask("DELETE", "/v1/hunts/h1").json == ["deleted": ["h1"]])
    #expect(office.ask("DELETE", "/v1/hunts/h1").status == 404)
    #expect(office.post("/v1/hunts", [:]).status == 201)
    office.wall = office.wall.advanced(by: .seconds(3000))
    _ = office.post("/v1/hunts/h2/next", [:])
    office.wall = office.wall.advanced(by: .seconds(1000))
    #expect(office.post("/v1/hunts", [:]).status == 201)
    #expect(office.ask("GET", "/v1/hunts/h2").status == 200 && office.ask("GET", "/v1/hunts/h3").status == 404)
    #expect(office.post("/v1/reset", ["everything": true]).status == 200)
    #expect(office.ask("GET", "/v1/hunts/h2").status == 404)
  }

  @Test("failures of one place are the same failure, and without a place what differs from play to play is left out")
  func subjects() {
    let token = String(repeating: "a1", count: 16)
    #expect(HuntVerdict.subject("d3 shows 2, not 17: \(token)") == "d… shows …, not ……: …")
    #expect(HuntVerdict.subject("d3 shows 2") == HuntVerdict.subject("d4 shows 1"))
  }
}
