import Devices
import Simulation
import Testing
import Timeline

@Suite("Verdicts of a session")
struct SessionVerdictTests {
  private func expectation(_ name: String, _ question: Question, within: Duration? = nil)
    -> Simulation.Expectation
  {
    Simulation.Expectation(name: name, place: name, window: within.map { .zero...$0 }, question: question)
  }

  private var accepted: Filter {
    var filter = Filter()
    filter.status = 200
    return filter
  }

  @Test("the verdicts of a session are about its own pushes, and are made when the session is closed")
  func own() throws {
    var stage = SessionStage()
    let expect = [
      expectation("all accepted", .pushes(Filter(), .all(accepted))),
      expectation("two", .pushes(Filter(), .count(2...2))),
      expectation("one early", .pushes(Filter(), .count(1...1)), within: .seconds(5)),
    ]
    try stage.open("good", keys: [0], expect: expect)
    try stage.open("bad", keys: [1], expect: expect)
    try stage.push(0, key: 0)
    try stage.push(0, key: 1)
    stage.advance(by: .seconds(10))
    try stage.push(1, key: 0)
    try stage.push(1, key: 1, token: String(repeating: "0", count: 64))
    for device in 2..<6 as Range<UInt32> { try stage.push(device, key: 2) }
    #expect(try stage.session("good").passed == nil && stage.session("good").verdicts.isEmpty)
    let good = try stage.close("good")
    #expect(good.passed == true && good.verdicts.map(\.name) == ["all accepted", "two", "one early"])
    let bad = try stage.close("bad")
    #expect(bad.passed == false && bad.verdicts.map(\.passed) == [false, true, true])
    #expect(bad.verdicts[0].pushes.count == 1 && bad.verdicts[0].nearest?.contains("400") == true)
    #expect(bad.verdicts[0].at == .seconds(10))
  }

  @Test("check the screens of its own devices, at the time it is closed")
  func screens() throws {
    var stage = SessionStage()
    var shape = ScreenPattern()
    shape.notifications = 1...1
    let expect = [expectation("shown", .screens(Selection(), shape, .all))]
    try stage.open("a", devices: [0, 1], expect: expect)
    try stage.open("b", devices: [2, 3], expect: expect)
    for device in [0, 1, 2] as [UInt32] { try stage.push(device) }
    #expect(try stage.close("a").passed == true)
    #expect(try stage.close("b").verdicts.first?.found == "1 of 2")
  }

  @Test("later fates count while it is open, and not afterwards")
  func later() throws {
    var stage = SessionStage()
    var delivered = Filter()
    delivered.fate = "Delivered to Device (From Storage)"
    let expect = [expectation("arrives", .pushes(Filter(), .all(delivered)))]
    try stage.open("in time", devices: [0], expect: expect)
    try stage.open("too late", devices: [1], expect: expect)
    for device in [0, 1] as [UInt32] {
      try stage.order(.goOffline, on: device)
      try stage.push(device)
    }
    try stage.order(.goOnline, on: 0)
    #expect(try stage.close("in time").passed == true)
    let late = try stage.close("too late")
    try stage.order(.goOnline, on: 1)
    #expect(late.passed == false)
    #expect(try stage.session("too late").passed == false)
  }

  @Test("a session without expectations has no verdict")
  func none() throws {
    var stage = SessionStage()
    try stage.open("a")
    #expect(try stage.close("a").passed == nil)
  }
}
