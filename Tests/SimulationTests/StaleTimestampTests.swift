import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("A timestamp that is too old")
struct StaleTimestampTests {
  private func stage() throws -> Stage {
    var stage = Stage()
    try stage.launch()
    return stage
  }

  private func push(_ timestamp: String, _ stage: inout Stage) throws -> PushRecord {
    try stage.send(
      try stage.token(.update(activity: 0)), topic: Stage.activityTopic,
      #"{"aps":{"timestamp":\#(timestamp),"event":"update","content-state":{"score":1}}}"#)
  }

  /// The detail of a push that was dropped as stale; nil for any other.
  private func words(_ push: PushRecord) -> String? {
    guard case .dropped(.staleTimestamp, let detail) = push.fate.reaction else { return nil }
    return detail?.text
  }

  @Test("a stale timestamp is reported with the later timestamp and the push that contained it")
  func both() throws {
    var stage = try stage()
    let later = try push("1700000500", &stage)
    let old = try push("1700000400.5", &stage)
    #expect(later.fate.isUpdate)
    let detail = "1700000400.5 is not after 1700000500 of push \(later.sequence)"
    #expect(words(old) == detail)
    #expect(PushStory(old).lines.contains { $0.sentence.contains(detail) })
  }

  @Test("caused by one in milliseconds is reported as such, and the push with that one has a remark")
  func milliseconds() throws {
    var stage = try stage()
    let poison = try push("1700000500000", &stage)
    guard case .updated(_, let remarks, _)? = poison.fate.reaction else {
      Issue.record("\(poison.fate)")
      return
    }
    #expect(remarks.contains(.millisecondTimestamp))
    let next = try push("1700000600", &stage)
    #expect(
      words(next)
        == "1700000600 is not after 1700000500000 of push \(poison.sequence), which looks like milliseconds")
  }

  @Test("a stale timestamp names no push if the app itself, or the start, set the later one")
  func app() throws {
    var stage = try stage()
    try stage.order(.updateActivity(nil, app: Stage.app, ActivityUpdateRequest(content: ["score": 2])))
    stage.advance(by: .zero)
    let started = try stage.update(1)
    #expect(started.fate.isUpdate)
    try stage.order(
      .updateActivity(
        nil, app: Stage.app,
        {
          var order = ActivityUpdateRequest(content: ["score": 3])
          order.timestamp = 1_800_000_000
          return order
        }()))
    let old = try push("1700000400", &stage)
    #expect(words(old) == "1700000400 is not after 1800000000, the second in which the app started or updated it")
  }

  /// Nothing public says that an update of the second of `Activity.request`, which has no timestamp, is dropped.
  @Test("a timestamp is not stale within the second in which the app started the activity or updated it without one")
  func sameSecond() throws {
    var stage = Stage()
    stage.advance(by: .milliseconds(700))
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let second = stage.now.world.seconds
    #expect(words(try push("\(second - 1)", &stage)) != nil, "an older one is")
    #expect(try push("\(second)", &stage).fate.isUpdate)
    #expect(words(try push("\(second)", &stage)) != nil, "of two pushes of one second the later is")
    stage.advance(by: .seconds(1))
    try stage.order(.updateActivity(nil, app: Stage.app, ActivityUpdateRequest(content: ["score": 2])))
    #expect(try push("\(second + 1)", &stage).fate.isUpdate)
    var order = ActivityUpdateRequest(content: ["score": 3])
    order.timestamp = Double(second + 5)
    try stage.order(.updateActivity(nil, app: Stage.app, order))
    #expect(words(try push("\(second + 5)", &stage)) != nil, "of the app's own timestamp it is")
  }
}
