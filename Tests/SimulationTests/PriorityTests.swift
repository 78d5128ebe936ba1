import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Priority 10 at once, priority 5 when it suits the phone.
@Suite("The priority of an update")
struct PriorityTests {
  @Test(
    "S107: priority 10 is on the screen at the instant it is sent; without the header it is 10", arguments: [10, nil])
  func immediate(_ priority: Int?) throws {
    var stage = Stage()
    try stage.launch()
    let record = try stage.update(1, priority: priority)
    #expect(record.status == 200 && record.fate.isUpdate && stage.score() == 1)
  }

  /// Switches and actions that put a phone into a condition, and the delays of that condition in seconds.
  private static let conditions: [(PhoneSwitch?, isLit: Bool, ClosedRange<Int64>)] = [
    (nil, false, 5...120), (nil, true, 0...2), (.charging, false, 0...30), (.lowPower, false, 60...900),
  ]

  @Test("S105: priority 5 is deferred, each within the range of the phone's condition", arguments: conditions)
  func late(_ what: PhoneSwitch?, isLit: Bool, _ range: ClosedRange<Int64>) throws {
    var stage = Stage()
    var waits: [Duration] = []
    for device: UInt32 in 0..<60 {
      try stage.launch(on: device)
      if let what { try stage.flip(what, true, on: device) }
      if isLit { try stage.order(.lightScreen, on: device) }
      let record = try stage.update(1, on: device, priority: 5)
      guard case .stored(.power) = record.fate, let until = record.fate.heldUntil else {
        Issue.record("device \(device): \(record.fate)")
        continue
      }
      waits.append(stage.now.world.duration(to: until))
      #expect(record.status == 200 && stage.score(device) == 0, "200 at once, and nothing on the screen yet")
      let story = PushStory(record).lines.last
      #expect(story?.event == "stored" && record.fate.words == "Stored - Power Considerations")
    }
    let bounds = Duration.seconds(range.lowerBound)...Duration.seconds(range.upperBound)
    #expect(waits.allSatisfy { bounds.contains($0) }, "\(waits)")
    #expect(Set(waits).count > 50, "each device has a wait of its own")
    let width = Double(range.upperBound - range.lowerBound)
    let middle = Double(range.lowerBound) + width / 2
    let mean = waits.reduce(0) { $0 + Double($1.wholeNanoseconds) / 1e9 } / Double(waits.count)
    #expect(abs(mean - middle) < width / 5, "they fill the range: \(mean) of \(range)")
  }

  @Test("S105: at its time it is applied, and the ledger shows that it was stored and late")
  func comes() throws {
    var stage = Stage()
    try stage.launch()
    let record = try stage.update(1, priority: 5)
    let until = try #require(record.fate.heldUntil)
    stage.advance(by: stage.now.world.duration(to: until) - .nanoseconds(1))
    #expect(stage.score() == 0 && stage.fates(of: record).count == 1)
    stage.advance(by: .nanoseconds(1))
    #expect(stage.score() == 1)
    let last = try #require(stage.fates(of: record).last)
    #expect(last.at == until && last.fate.words == "Delivered to Device (From Storage)")
    guard case .updated(0, let remarks, _)? = last.fate.reaction else {
      Issue.record("\(last.fate)")
      return
    }
    #expect(remarks.contains(.late))
  }

  @Test("of deferred priority 5 updates the newest is kept, at the time of the first")
  func coalesces() throws {
    var stage = Stage()
    try stage.launch()
    let first = try stage.update(1, priority: 5)
    let until = try #require(first.fate.heldUntil)
    stage.advance(by: .seconds(1))
    let second = try stage.update(2, priority: 5)
    #expect(second.fate.heldUntil == until)
    #expect(stage.fate(of: first) == .discarded(.coalesced), "table 1.12, 13")
    stage.advance(by: stage.now.world.duration(to: until))
    #expect(stage.score() == 2 && stage.fate(of: second).isUpdate)
  }

  @Test("of two deferred updates the one with the newer timestamp is kept, whichever came first")
  func olderTimestamp() throws {
    var stage = Stage()
    try stage.launch()
    func body(_ later: Int64, _ score: Int) -> String {
      #"{"aps":{"timestamp":\#(Stage.began.seconds + later),"event":"update","content-state":{"score":\#(score)}}}"#
    }
    let token = try stage.token(.update(activity: 0))
    let low = ["apns-priority": "5"]
    let newer = try stage.send(token, topic: Stage.activityTopic, body(9, 9), low)
    let older = try stage.send(token, topic: Stage.activityTopic, body(8, 8), low)
    #expect(older.fate == .discarded(.coalesced))
    stage.advance(by: .seconds(120))
    #expect(stage.score() == 9 && stage.fate(of: newer).isUpdate)
  }

  enum Wake: CaseIterable { case screen, foreground, priority10, power }

  @Test("an update deferred for its priority is released when the phone is awake anyway", arguments: Wake.allCases)
  func flush(_ wake: Wake) throws {
    var stage = Stage()
    try stage.launch()
    let record = try stage.update(1, priority: 5)
    let cause: LowPriorityPlan.FlushCause
    switch wake {
    case .screen:
      try stage.order(.lightScreen)
      cause = .screenOn
    case .foreground:
      try stage.order(.open(app: Stage.app))
      cause = .foreground
    case .priority10:
      try stage.update(2)
      cause = .priority10Delivered
    case .power:
      try stage.flip(.charging, true)
      cause = .powerConnected
    }
    #expect(stage.fate(of: record).isUpdate && stage.score() == (wake == .priority10 ? 2 : 1))
    // Where the plan does not say so, it goes on waiting.
    var budget = Stage.atOnce
    budget.lowPriority.flushes.remove(cause)
    if wake == .foreground { budget.lowPriority.flushes.remove(.screenOn) }
    var other = Stage(budget: budget)
    try other.launch()
    let held = try other.update(1, priority: 5)
    switch wake {
    case .screen: try other.order(.lightScreen)
    case .foreground: try other.order(.open(app: Stage.app))
    case .priority10: return
    case .power: try other.flip(.charging, true)
    }
    #expect(other.fates(of: held).count == 1 && other.score() == 0)
  }

  @Test("S106: ten thousand priority 5 updates are all accepted, none is throttled, and the last one stays")
  func unlimited() throws {
    var stage = Stage(rulebook: Stage.unhurried)
    try stage.launch()
    let full = try stage.budgetLeft()
    var waiting: Set<UInt64> = []
    var applied = 0
    var coalesced = 0
    for score in 1...10_000 {
      let record = try stage.update(score, priority: 5)
      #expect(record.status == 200)
      waiting.insert(record.sequence)
      stage.advance(by: .seconds(1))
      for event in stage.events() {
        guard case .pushSettled(let number, _, let fate, _) = event else { continue }
        #expect(waiting.remove(number) != nil)
        if fate.isUpdate {
          applied += 1
        } else if fate == .discarded(.coalesced) {
          coalesced += 1
        } else {
          Issue.record("\(number): \(fate)")
        }
      }
    }
    stage.advance(by: .seconds(120))
    #expect(applied + coalesced + 1 == 10_000 && applied > 80)
    #expect(stage.score() == 10_000)
    #expect(try stage.budgetLeft() == full, "it costs nothing")
  }
}
