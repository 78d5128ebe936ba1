import Admin
import Testing
import WireFormats

@testable import ClientCommands

@Suite("Faults, clock and completions on the command line")
struct AdminCommandTests {
  private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

  @Test("a fault set by flags becomes the JSON of the admin API, with numbers where it requires them")
  func order() {
    let order = FaultOrder([
      ("then.answer", "TooManyRequests"), ("then.retryAfter", "5"), ("odds", "30%"), ("limit", "3"), ("for", "10m"),
      ("when.device", "d3"), ("when.app", "1"), ("when.share", "0.5"), ("session", "7"),
    ])
    #expect(
      order.isComplete
        && String(decoding: order.body, as: UTF8.self)
          == #"{"name":"TooManyRequests","when":{"device":"d3","app":"1","share":0.5},"#
          + #""then":{"answer":"TooManyRequests","retryAfter":5},"odds":"30%","limit":3,"for":"10m","session":"7"}"#
    )
  }

  @Test("a fault without a name is called after what it does")
  func name() {
    let lost: (key: String, value: String) = ("then.loseAnswer", "true")
    #expect(
      String(decoding: FaultOrder([lost]).body, as: UTF8.self) == #"{"name":"loseAnswer","then":{"loseAnswer":true}}"#)
    #expect(
      String(decoding: FaultOrder([("name", "mine"), lost]).body, as: UTF8.self)
        == #"{"name":"mine","then":{"loseAnswer":true}}"#)
    #expect(
      String(decoding: FaultOrder([("then.answer", "")]).body, as: UTF8.self)
        == #"{"name":"answer","then":{"answer":""}}"#, "the error is about the answer, and not about a name")
  }

  @Test("each key that has flags is a key of a fault")
  func keys() {
    #expect(RequestKey.fault(FaultOrder.keys).map(\.path) == FaultOrder.keys)
  }

  @Test("a truth whose opposite has a word has two flags, each with its own help")
  func opposites() {
    let lists = ["devices", "tokens", "pushes", "calls", "findings", "sessions", "faults", "connections"]
    let keys = lists.flatMap { RequestKey.filters(of: "/v1/\($0)") }
    let truths = keys.filter { if case .truth(.some) = $0.value { true } else { false } }
    #expect(Set(truths.map(\.path)) == ["online", "live", "open", "failed"])
    for key in truths {
      let flags = RequestFlag.flags(of: key)
      #expect(flags.map(\.constant) == ["true", "false"] && Set(flags.map(\.help)).count == 2, "\(key.path)")
    }
  }

  @Test("flags that say nothing of what goes wrong make no fault")
  func incomplete() {
    #expect(!FaultOrder([("name", "mine"), ("then.retryAfter", "5")]).isComplete)
    #expect(
      FaultOrder.consequences.map(\.name) == ["answer", "delay", "lose", "lose-answer", "silence", "reset"])
  }

  @Test("faults are a table, in which a name cannot control the terminal")
  func faults() throws {
    let list = try Self.json(
      #"""
      {"faults": [{"name": "a\u001b[2J", "session": null, "state": "active", "when": null, "odds": "30%",
        "then": {"answer": "TooManyRequests"}, "seen": 10, "struck": 3, "limit": null},
       {"name": "b", "session": "s1", "state": "spent", "when": {"device": "d0"}, "odds": null, "then": {"lose": true},
        "seen": 1, "struck": 1, "limit": 1}], "next": null}
      """#)
    #expect(
      FaultLines(list, columns: nil).lines == [
        "name            state   seen  struck  limit  what",
        #"a\u{1b}[2J      active  10    3       -      odds 30% then {"answer":"TooManyRequests"}"#,
        #"b (session s1)  spent   1     1       1      when {"device":"d0"} then {"lose":true}"#,
      ])
    #expect(FaultLines(list, columns: 30).lines.allSatisfy { TerminalText.width($0) <= 30 })
    #expect(FaultLines.deleted(["deleted": []]) == "no faults")
    #expect(FaultLines.deleted(["deleted": ["a", "b"]]) == "a, b")
  }

  @Test("the clock prints how far it is ahead, and when the next thing is due")
  func clock() {
    let clock: JSONValue = [
      "mode": "manual", "now": "2026-11-23T03:36:37.095Z", "unixMilliseconds": 1, "offsetMilliseconds": 5_400_000,
      "nextDue": "2026-11-23T04:36:37.095Z",
    ]
    #expect(
      ClockLines(clock).lines == [
        "now       2026-11-23T03:36:37.095Z", "mode      manual, stopped until it is advanced",
        "offset    1h30m ahead of the machine's clock", "next due  2026-11-23T04:36:37.095Z, in 1h",
      ])
    let idle: JSONValue = ["mode": "wall", "now": "2026-11-23T03:36:37.095Z", "nextDue": nil, "target": "x\u{1B}"]
    #expect(
      ClockLines(idle).lines.suffix(2) == ["next due  nothing", "target    x\\u{1b}: it is advancing"])
    #expect(ClockLines(idle).untilNext == nil && ClockLines(idle).lines[1].hasSuffix("the same as the machine's clock"))
    let ahead: JSONValue = ["mode": "wall", "now": "2026-11-23T03:36:37.095Z", "offsetMilliseconds": 60_000]
    #expect(ClockLines(ahead).lines[1] == "mode      wall, ahead of the machine's clock, which was set back")
    let absurd: JSONValue = ["offsetMilliseconds": .integer(.min), "now": "never", "nextDue": "2026-11-23T03:36:37Z"]
    #expect(ClockLines(absurd).lines.count == 3 && ClockLines(absurd).untilNext == nil)
  }

  @Test(
    "names of devices are completed from the number of devices",
    arguments: [
      ("", 3, ["d0", "d1", "d2"]), ("d", 2, ["d0", "d1"]), ("d1", 13, ["d1", "d10", "d11", "d12"]), ("d0", 20, ["d0"]),
      ("d12", 13, ["d12"]), ("d13", 13, []), ("x", 3, []), ("d01", 20, []), ("d-1", 20, []), ("d1x", 20, []),
      ("d99999999999999999999", 20, []), ("d", 0, []),
    ])
  func devices(_ text: String, _ count: Int, _ names: [String]) {
    #expect(Completions.devices(beginningWith: text, of: count) == names)
  }

  @Test("at most a hundred names are offered for a large fleet")
  func large() {
    #expect(Completions.devices(beginningWith: "d", of: 1_000_000).count == 100)
    let found = Completions.devices(beginningWith: "d12", of: 100_000_000)
    #expect(found.count == 100 && found.allSatisfy { $0.hasPrefix("d12") } && Set(found).count == 100)
  }

  @Test("parts of a path and values of a query are encoded")
  func target() {
    var order = AdminAPI.Order("v1", "faults", "a b/ü?")
    order.query = [("session", "x&y=1"), ("limit", "3")]
    #expect(order.target == "/v1/faults/a%20b%2F%C3%BC%3F?session=x%26y%3D1&limit=3")
  }
}
