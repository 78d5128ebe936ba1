import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Observed: openradar-mirror issues 18912 and 17743, PushSharp issue 324.
@Suite("A badge that goes to 0")
struct BadgeZeroTests {
  private func send(_ stage: inout Stage, _ aps: String, app: String = Stage.app) throws -> PushRecord {
    try stage.send(try stage.token(), #"{"aps":{\#(aps)}}"#)
  }

  @Test("a badge of 0 removes the app's notifications from the list, and the story states how many")
  func clears() throws {
    var stage = Stage()
    _ = try send(&stage, #""alert":"one","badge":1"#)
    _ = try send(&stage, #""alert":"two""#)
    #expect(stage.screen().notifications.count == 2)
    let record = try send(&stage, #""badge":0"#)
    #expect(stage.screen().notifications.isEmpty && stage.screen().badges.isEmpty)
    let line = try stage.story(of: record).first { $0.event == "cleared" }
    #expect(line?.sentence == "badge 0 removed 2 older notifications of the app from the list")
    #expect(line?.evidence?.kind == .observed)
  }

  @Test("a badge of 0 does not remove the notification that sets it")
  func own() throws {
    var stage = Stage()
    _ = try send(&stage, #""alert":"one","badge":1"#)
    let record = try send(&stage, #""alert":"two","badge":0"#)
    #expect(stage.screen().notifications.count == 1 && record.fate.shown?.cleared == 1)
  }

  @Test(
    "a badge removes nothing if it was 0 before, if it becomes another number, or without permission",
    arguments: [(#""badge":0"#, #""badge":0"#), (#""badge":2"#, #""badge":1"#), (#""badge":2"#, #""badge":-1"#)])
  func stays(_ first: String, _ second: String) throws {
    var stage = Stage()
    _ = try send(&stage, #""alert":"one",\#(first)"#)
    let record = try send(&stage, second)
    #expect(stage.screen().notifications.count == 1 && record.fate.shown?.cleared == 0)
    stage = Stage()
    _ = try send(&stage, #""alert":"one","badge":1"#)
    try stage.permit(.provisional)
    _ = try send(&stage, #""badge":0"#)
    #expect(stage.screen().notifications.count == 1)
  }
}
