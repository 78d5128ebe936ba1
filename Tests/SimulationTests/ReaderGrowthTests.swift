import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Checks what readers of events remember in a long run.
@Suite("A reader of events remembers no more than it needs")
struct ReaderGrowthTests {
  private func copy(_ record: PushRecord, _ number: UInt64, fate: Fate? = nil) -> PushRecord {
    PushRecord(
      PushRecord.Facts(
        .init(sequence: number, at: record.at, stream: record.stream), push: record.push, answer: record.answer,
        keyNumber: record.keyNumber, address: record.address, outcome: .init(fate: fate ?? record.firstFate)))
  }

  @Test("the steps of pushes are known for the pushes that the log keeps, however often the steps alternate")
  func senders() throws {
    var stage = Stage()
    let record = try stage.push(try stage.token())
    let question = Question.pushes(Filter(), .sometimes(Filter()))
    var logs = EventLogs(pushLogCapacity: 10)
    logs.observer = Observer(
      [Simulation.Expectation(name: "n", place: "n", question: question)], steps: ["a", "b"], apps: [],
      began: Stage.began)
    func step(_ number: UInt64) -> Int? { number.isMultiple(of: 3) ? nil : Int(number % 3) - 1 }
    for number: UInt64 in 1...5_000 { logs.read([.push(copy(record, number))], of: step(number)) }
    let observer = try #require(logs.observer)
    #expect(observer.senders.count <= 20)
    for number: UInt64 in 4_991...5_000 { #expect(observer.senders.step(of: number) == step(number)) }
  }

  @Test("pushes that were stored when the world began anew do not count among those that a report follows")
  func followed() throws {
    var stage = Stage()
    let record = try stage.push(try stage.token())
    var logs = EventLogs(pushLogCapacity: 10)
    logs.tally = RunTally()
    func read(_ numbers: ClosedRange<Int>) {
      for number in numbers { logs.read([.push(copy(record, UInt64(number), fate: .stored(.offline)))]) }
    }
    read(1...RunTally.mostFollowed)
    #expect(logs.tally?.unfollowed == 0)
    read(RunTally.mostFollowed + 1...RunTally.mostFollowed + 1)
    #expect(logs.tally?.unfollowed == 1)
    logs.beginAnew()
    read(RunTally.mostFollowed + 2...RunTally.mostFollowed + 2)
    #expect(logs.tally?.unfollowed == 1)
  }

  @Test("pushes of one step in a row are one entry")
  func runs() {
    var senders = PushSenders()
    for number: UInt64 in 1...1_000 { senders.add(number, of: number <= 600 ? 0 : 1, keeping: 100) }
    #expect(senders.count == 2 && senders.step(of: 600) == 0 && senders.step(of: 601) == 1)
    #expect(senders.step(of: 1_001) == nil)
  }

  @Test("expected screens are kept of activities that run, not of those that have ended")
  func activities() throws {
    var stage = Stage()
    var screens = ExpectedScreens()
    func read() { for event in stage.events() { screens.read(event) } }
    for number in 0..<200 {
      let start = try stage.launch()
      guard case .started(let activity, _)? = stage.fate(of: start).reaction else {
        Issue.record("start \(number): \(stage.fate(of: start))")
        return
      }
      read()
      try stage.update(number, activity: activity)
      read()
      #expect(screens.activities.values.count { $0.request != nil } == 1)
      // The person ends every other one.
      if number.isMultiple(of: 2) {
        let running = try #require(try stage.app().activities.last { $0.state == .active }, "\(number)")
        try stage.order(.endActivity(running.id, app: Stage.app))
      } else {
        try stage.finish(activity: activity)
      }
      read()
      #expect(screens.activities.values.allSatisfy { $0.request == nil && $0.isEnd })
      stage.advance(by: .seconds(86_400))
    }
    #expect(screens.activities.count <= 2 * Install.activitiesRemembered)
  }

  @Test("first work of a large fleet is on the schedule a slice at a time, and due when it was drawn")
  func firstWork() throws {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(3600)
    let whole = Stage(devices: 3_000, policy: policy).world.deviceState
    var sliced = whole
    sliced.schedule = Schedule(devices: 3_000)
    for app in Stage.profiles.indices {
      for type in Stage.profiles[app].types.indices {
        sliced.plan(.rotates(app: app, .pushToStart(type: type)), atOnce: 100, size: 50)
      }
    }
    #expect(whole.schedule.count == 9_000 && sliced.schedule.count < 400)
    #expect(sliced.firstWork.reduce(0) { $0 + $1.count } > 8_000)
    var most = 0
    func drained(_ deviceState: DeviceState) -> [(due: Instant, work: Schedule.Work)] {
      var deviceState = deviceState
      var found: [(due: Instant, work: Schedule.Work)] = []
      while let (due, work) = deviceState.schedule.takeNext(by: .distantFuture) {
        if case .firstWork(let index) = work { deviceState.scheduleFirst(index) } else { found.append((due, work)) }
        most = max(most, deviceState.schedule.count)
        deviceState.schedule.finish()
      }
      #expect(deviceState.firstWork.allSatisfy { $0.count == 0 })
      return found
    }
    let found = drained(sliced)
    #expect(most < 800, "\(most) entries at once")
    let expected = drained(whole)
    #expect(found.map(\.due) == expected.map(\.due) && found.map(\.work) == expected.map(\.work))
  }

  @Test("a large fleet begins with a short schedule")
  func beginning() {
    var policy = Stage.quick
    policy.startTokens.rotation = .seconds(3600)
    let deviceState = Stage(devices: DeviceState.mostAtOnce + 1, policy: policy).world.deviceState
    #expect(deviceState.schedule.count < 10_000)
  }

  @Test("a bounded table forgets the keys that were not written for longest, and counts them")
  func tables() {
    var table = RecentTable<Int, Int>(most: 100)
    for key in 0..<200 { table[key] = key }
    #expect(table.count == 200 && table.forgotten == 0)
    table[5] = 6
    // The newer generation was full, so the rest of the older one is gone.
    #expect(table[5] == 6 && table[6] == nil && table[100] == 100 && table.count == 101 && table.forgotten == 99)
    table.removeValue(forKey: 100)
    table[101] = nil
    #expect(table[100] == nil && table[101] == nil && table.count == 99 && table.forgotten == 99)
    for key in 1_000..<10_000 {
      table[key] = key
      #expect(table.count <= 200 && table[key - 99] != nil || key < 1_099)
    }
    #expect(UInt64(table.count) + table.forgotten == 9_000 + 200 - 2)
  }
}
