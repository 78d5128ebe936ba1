import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// A push that lets go what the phone holds is judged by what it says itself.
@Suite("An update behind a held one")
struct BehindHeldTests {
  /// A running activity with an update of priority 5 that waits, longer than any that follows.
  private func stage() throws -> (Stage, held: PushRecord) {
    let content = ContentSchema.object([.init("score", .int), .init("text", .optional(.string))])
    let type = AttributesType("MatchAttributes", contentState: content)
    var stage = Stage(apps: [AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])])
    try stage.launch()
    let long = #"{"score":1,"text":"\#(String(repeating: "a", count: 3000))"}"#
    let held = try stage.pushActivity("update", spoilt: ["content-state": long], ["apns-priority": "5"])
    #expect(held.fate.heldUntil != nil && stage.score() == 0)
    return (stage, held)
  }

  @Test("an update that does not decode is dropped, and the deferred update before it is shown")
  func decoding() throws {
    var (stage, held) = try stage()
    let record = try stage.pushActivity("update", spoilt: ["content-state": #"{"score":"two"}"#])
    #expect(record.fate.cause == .contentStateDecode)
    #expect(stage.fate(of: held).isUpdate && stage.score() == 1)
  }

  @Test("alerts if it has an alert, and not if the held one had")
  func alerting() throws {
    for alerts in [true, false] {
      var (stage, held) = try stage()
      stage.advance(by: .seconds(5))
      #expect(stage.fates(of: held).count == 1, "it waits still")
      let record = try stage.update(2, alerts ? #","alert":{"title":"Out","body":"!"}"# : "")
      #expect(record.fate.updates(0) && stage.score() == 2)
      #expect(try stage.story(of: record).contains { $0.cause == "alerted" } == alerts)
      #expect(stage.screen().alert?.title == (alerts ? "Out" : nil))
    }
  }

  @Test("attributes in it cause its own remark")
  func remarks() throws {
    var (stage, _) = try stage()
    let record = try stage.pushActivity("update", spoilt: ["attributes": "{}"])
    #expect(try stage.story(of: record).contains { $0.cause == "attributes-ignored" })
  }

  @Test("an update with the timestamp of a deferred one is dropped at once, and the deferred one stays")
  func sameTimestamp() throws {
    var (stage, held) = try stage()
    let payload = String(decoding: held.request.body, as: UTF8.self)
    let start = try #require(payload.firstRange(of: #""timestamp":"#)).upperBound
    let timestamp = String(payload[start...].prefix { $0.isNumber || $0 == "." })
    let same: [String: String?] = ["timestamp": timestamp, "content-state": #"{"score":7}"#]
    let record = try stage.pushActivity("update", spoilt: same, ["apns-priority": "5"])
    #expect(record.fate == .discarded(.coalesced))
    #expect(stage.fates(of: held).count == 1, "it waits still")
    let newer: [String: String?] = ["timestamp": timestamp + "1", "content-state": #"{"score":8}"#]
    #expect(try stage.pushActivity("update", spoilt: newer, ["apns-priority": "5"]).fate.heldUntil != nil)
    #expect(stage.fate(of: held) == .discarded(.coalesced))
    stage.advance(by: .seconds(3600))
    #expect(stage.score() == 8)
  }

  @Test("an end has its own last content and its own dismissal date")
  func ending() throws {
    for (more, isShown) in [(#","dismissal-date":0"#, false), ("", true)] {
      var (stage, held) = try stage()
      let record = try stage.finish(#","content-state":{"score":9}"# + more)
      #expect(record.fate.ends(0) && stage.fate(of: held).isUpdate)
      #expect(stage.score() == (isShown ? 9 : nil), "\(more)")
    }
  }

  @Test("an end that does not decode ends nothing")
  func endDecoding() throws {
    var (stage, _) = try stage()
    let record = try stage.finish(#","content-state":{"score":"nine"}"#)
    #expect(record.fate.cause == .contentStateDecode && stage.cards().map(\.state) == [.active])
  }
}
