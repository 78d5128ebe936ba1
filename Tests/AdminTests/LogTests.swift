import Devices
import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("A device's log")
struct LogTests {
  /// A phone with a history: pushes that work and pushes that do not, and things its owner did, each at its own time.
  static func lived() -> Office {
    var office = Office()
    office.push(office.token("d3"))
    office.advance("1m")
    office.pushActivity(office.startToken("d3"), "start")
    for number in 0..<4 {
      office.advance("1m")
      let update = office.activity("d3")?["updateToken"]?.string ?? ""
      office.pushActivity(update, "update", ["content-state": ["home": .integer(Int64(number))], "attributes": [:]])
    }
    office.advance("1m")
    _ = office.act("d3", ["do": "open"])
    office.advance("1m")
    _ = office.act("d3", ["do": "goOffline"])
    office.push(office.token("d3"))
    office.advance("1m")
    _ = office.act("d3", ["do": "goOnline"])
    _ = office.act("d4", ["do": "reboot"])
    return office
  }

  @Test(
    "a device's log comes in pages with each line once, in order and within the limit", arguments: [1, 2, 3, 7, 1000])
  func paging(limit: Int) {
    var office = Self.lived()
    for filter in ["", "&process=apsd", "&process=liveactivitiesd", "&process=chronod", "&process=app"] {
      let whole = office.log("d3", filter)
      #expect(whole.count > 3, "\(filter)")
      var seen: [JSONValue] = []
      var cursor = ""
      for _ in 0..<200 {
        let page = office.get("/v1/devices/d3/log?limit=\(limit)\(filter)\(cursor)")
        let lines = page["lines"]?.elements ?? []
        #expect(lines.count <= limit)
        seen += lines
        guard let next = page["next"]?.string else { break }
        cursor = "&cursor=\(next)"
      }
      #expect(seen == whole, "\(filter)")
    }
  }

  @Test("a device's log continues at the cursor, whatever is written meanwhile")
  func writing() {
    var office = Self.lived()
    let whole = office.log("d3")
    var seen: [JSONValue] = []
    var cursor = ""
    for _ in 0..<200 {
      let page = office.get("/v1/devices/d3/log?limit=3\(cursor)")
      seen += page["lines"]?.elements ?? []
      guard let next = page["next"]?.string else { break }
      cursor = "&cursor=\(next)"
      office.push(office.token("d3"))
      _ = office.act("d3", ["do": "reboot"])
    }
    #expect(seen == whole)
  }

  @Test("a device's log is newest first, and contains no lines of other devices")
  func order() {
    var office = Self.lived()
    let times = office.log("d3").compactMap { $0["at"]?.string }
    #expect(times == times.sorted(by: >))
    #expect(!office.log("d3").contains { $0["event"] == "rebooted" })
    #expect(office.log("d4").map { $0["event"] } == ["rebooted"] && office.log("d9").isEmpty)
  }

  /// S26: the process names are those Apple tells developers to filter by. S100: chronod draws.
  @Test("S26 S100: a device's log contains lines of apsd, liveactivitiesd, chronod, SpringBoard and the app")
  func processes() {
    var office = Self.lived()
    func events(_ process: String) -> [String] {
      let lines = office.log("d3", "&process=\(process)")
      #expect(lines.allSatisfy { $0["process"]?.string == process })
      return lines.compactMap { $0["event"]?.string }
    }
    #expect(events("apsd").contains("delivered") && events("apsd").contains("deliveredFromStorage"))
    #expect(events("liveactivitiesd").contains("updated") && events("liveactivitiesd").contains("remark"))
    #expect(events("chronod").contains("rendered"))
    #expect(events("SpringBoard").contains("banner") && events("app").contains("tokenYielded"))
    let all = ["apsd", "liveactivitiesd", "chronod", "SpringBoard", "app"].map { events($0).count }.reduce(0, +)
    #expect(all == office.log("d3").count)
    let wrong = office.ask("GET", "/v1/devices/d3/log?process=apsdd")
    #expect(wrong.status == 400 && wrong.field == "process" && wrong.error.hasSuffix("did you mean apsd?"))
  }

  /// S25: answered 200 and not updated: the log names the key path that does not decode.
  @Test("S25: a device's log names the key that does not decode")
  func decode() throws {
    let schema = try ContentSchema(["type": "object", "properties": ["home": "int"]])
    var office = Office(schema: schema)
    let update = office.startActivity("d3")
    let record = office.pushActivity(update, "update", ["content-state": ["home": "two"]])
    #expect(record?["answer"]?["status"] == 200 && record?["reaction"]?["cause"] == "content-state-decode")
    let line = office.log("d3", "&process=liveactivitiesd").first { $0["event"] == "dropped" }
    #expect(line?["cause"] == "content-state-decode" && line?["apnsId"] == record?["apnsId"])
    #expect(line?["sentence"]?.string?.contains("content-state.home") == true)
    #expect(line?["evidence"] == "observed" && line?["source"]?.string?.isEmpty == false)
    #expect(line?["activity"] == office.activity("d3")?["id"] && line?["app"] == "com.example.app")
    #expect(!office.log("d3", "&process=chronod").contains { $0["event"] == "rendered" })
  }

  @Test("the log of an unknown device returns 404, and an invalid cursor 400")
  func wrong() {
    var office = Office()
    #expect(office.ask("GET", "/v1/devices/d20/log").status == 404)
    for cursor in ["1", "1.2", "x", "1.2.3.4", "1.2.99999", "-1.2.3", "9999999999999.1.1", ""] {
      let response = office.ask("GET", "/v1/devices/d3/log?cursor=\(cursor)")
      #expect(response.status == 400 && response.field == "cursor", "\(cursor)")
    }
    #expect(office.get("/v1/devices/d3/log?cursor=999999999999.999999999999.10000") == ["lines": [], "next": nil])
  }
}
