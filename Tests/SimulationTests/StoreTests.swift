import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// Pushes that APNs stores for an offline phone.
@Suite("Store and forward")
struct StoreTests {
  private static let day: Int64 = 24 * 3600

  private func stage(_ change: (inout PushStore.Plan) -> Void = { _ in }) throws -> Stage {
    var plan = PushStore.Plan()
    change(&plan)
    var stage = Stage(store: plan, rulebook: Stage.unhurried)
    try stage.order(.goOffline)
    return stage
  }

  private func push(
    _ stage: inout Stage, _ text: String = "B", expiration: Int64? = nil, collapse: String? = nil, on device: UInt32 = 0
  ) throws -> PushRecord {
    var headers: [String: String] = [:]
    headers["apns-expiration"] = expiration.map { "\($0)" }
    headers["apns-collapse-id"] = collapse
    let record = try stage.send(try stage.token(on: device), #"{"aps":{"alert":"\#(text)"}}"#, headers)
    #expect(record.status == 200)
    return record
  }

  private func shown(_ stage: Stage) -> [String] { stage.screen().notifications.reversed().map(\.text.alert.body) }

  @Test("with expiration 0 there is one attempt, and nothing is stored")
  func zero() throws {
    var stage = try stage()
    #expect(try push(&stage, expiration: 0).fate == .discarded(.notStored))
    try stage.order(.goOnline)
    #expect(shown(stage).isEmpty)
    #expect(try push(&stage, expiration: 0).fate.shown != nil, "the attempt at a phone that is there succeeds")
  }

  @Test("with an expiration in the past it has expired before it could be stored")
  func past() throws {
    var stage = try stage()
    #expect(try push(&stage, expiration: Stage.began.seconds - 1).fate == .discarded(.expired))
    #expect(try push(&stage, expiration: Stage.began.seconds).fate == .discarded(.expired), "now is past")
    try stage.order(.goOnline)
    #expect(try push(&stage, expiration: 1).fate.shown != nil)
  }

  @Test("until its expiration it is delivered when the phone is back, and expires at that instant while it is away")
  func later() throws {
    for late in [false, true] {
      var stage = try stage()
      let record = try push(&stage, expiration: Stage.began.seconds + 100)
      #expect(record.fate == .stored(.offline))
      #expect(record.fate.words == "Stored - Device Offline")
      stage.advance(by: .seconds(100) - .nanoseconds(1))
      if late {
        stage.advance(by: .seconds(100))
        let last = try #require(stage.fates(of: record).last)
        #expect(last.fate == .discarded(.expired) && last.at == Stage.began.advanced(by: .seconds(100)))
      }
      try stage.order(.goOnline)
      #expect(shown(stage) == (late ? [] : ["B"]) && stage.fates(of: record).count == 2)
      #expect(stage.fate(of: record).words == (late ? "Discarded - Expired" : "Delivered to Device (From Storage)"))
    }
  }

  @Test("without an expiration it is kept for 30 days", arguments: [false, true])
  func absent(_ late: Bool) throws {
    var stage = try stage()
    let record = try push(&stage)
    stage.advance(by: .seconds(30 * Self.day) - .nanoseconds(1))
    #expect(try stage.view().waiting == 1)
    if late { stage.advance(by: .nanoseconds(1)) }
    try stage.order(.goOnline)
    #expect(stage.fate(of: record).isDelivered == !late)
  }

  @Test("by lottery, an older push is sometimes kept in the place of the newest, and by the seed always the same")
  func lottery() throws {
    func kept() throws -> [String] {
      var stage = Stage(store: lotteryPlan, rulebook: Stage.unhurried)
      for device in 0..<40 as Range<UInt32> { try stage.order(.goOffline, on: device) }
      for device in 0..<40 as Range<UInt32> {
        _ = try push(&stage, "old", on: device)
        let newer = try push(&stage, "new", on: device)
        if case .discarded(let why) = newer.fate { #expect(why == .olderKept) }
      }
      for device in 0..<40 as Range<UInt32> { try stage.order(.goOnline, on: device) }
      return (0..<40).flatMap { stage.screen($0).notifications.map(\.text.alert.body) }
    }
    let (first, again) = (try kept(), try kept())
    #expect(first.count == 40 && (2...16).contains(first.count { $0 == "old" }) && first == again)
  }

  private var lotteryPlan: PushStore.Plan {
    var plan = PushStore.Plan()
    plan.keeps = .lottery
    return plan
  }

  @Test("30 days are the longest, whatever its expiration says", arguments: [false, true])
  func cap(_ late: Bool) throws {
    var stage = try stage()
    let record = try push(&stage, expiration: Stage.began.seconds + 60 * Self.day)
    stage.advance(by: .seconds(30 * Self.day) - .nanoseconds(1))
    if late { stage.advance(by: .nanoseconds(1)) }
    try stage.order(.goOnline)
    #expect(stage.fate(of: record).words == (late ? "Discarded - Expired" : "Delivered to Device (From Storage)"))
  }

  @Test("where it is kept for each app, the newest of all its pushes is, whatever their tokens and collapse ids")
  func perApp() throws {
    for place in PushStore.ReplacementScope.allCases {
      var stage = try stage { $0.per = place }
      let first = try push(&stage, "A", collapse: "a")
      let second = try push(&stage, "B", collapse: "b")
      let start = try stage.launch()
      let other = try stage.send(
        try stage.token(app: 1), topic: Stage.store, #"{"aps":{"alert":"S"}}"#, on: Stage.production)
      #expect(try stage.view().waiting == (place == .token ? 4 : 2))
      try stage.order(.goOnline)
      let superseded = [first, second].map { stage.fate(of: $0) == .discarded(.superseded) }
      #expect(superseded == (place == .token ? [false, false] : [true, true]))
      #expect(stage.fate(of: start).isDelivered && stage.fate(of: other).isDelivered)
    }
    var stage = try stage { $0.per = .app }
    let records = try (0..<2).map { try push(&stage, "\($0)", collapse: "c") }
    #expect(stage.fate(of: records[0]) == .discarded(.collapsed))
  }

  @Test("of one token the newest is kept; the others are superseded")
  func newest() throws {
    var stage = try stage()
    let records = try (0..<5).map { try push(&stage, "\($0)") }
    #expect(records.dropLast().allSatisfy { stage.fate(of: $0) == .discarded(.superseded) })
    #expect(try stage.view().waiting == 1)
    try stage.order(.goOnline)
    #expect(shown(stage) == ["4"])
  }

  @Test("stored starts of different activities replace each other, unless they have collapse ids")
  func starts() throws {
    for ids in [nil, ["a", "b"]] as [[String]?] {
      var stage = try stage()
      for number in 0..<2 {
        _ = try stage.send(
          try stage.token(.pushToStart(type: 0)), topic: Stage.activityTopic,
          #"{"aps":{"timestamp":\#(stage.nextTimestamp()),"event":"start","attributes-type":"MatchAttributes","#
            + #""attributes":{},"content-state":{},"alert":{"title":"Go","body":"!"}}}"#,
          ids.map { ["apns-collapse-id": $0[number]] } ?? [:])
      }
      try stage.order(.goOnline)
      #expect(stage.screen().cards.count == (ids == nil ? 1 : 2))
    }
  }

  @Test("APNs stores one push of each collapse id, and delivers the stored ones in the order in which they were sent")
  func collapse() throws {
    var stage = try stage()
    let first = try push(&stage, "a1", collapse: "a")
    for (text, id) in [("b1", "b"), ("none", nil), ("a2", "a"), ("c1", "c")] as [(String, String?)] {
      stage.advance(by: .seconds(1))
      _ = try push(&stage, text, collapse: id)
    }
    #expect(stage.fate(of: first) == .discarded(.collapsed))
    try stage.order(.goOnline)
    #expect(shown(stage) == ["b1", "none", "a2", "c1"])
  }

  @Test("of updates of one activity only the newest arrives; those of another activity are stored beside it")
  func activities() throws {
    var stage = Stage(rulebook: Stage.unhurried)
    try stage.launch()
    try stage.launch()
    try stage.order(.goOffline)
    let records = try (1...3).map { try stage.update($0) }
    try stage.update(9, activity: 1)
    #expect(stage.score() == 0)
    try stage.order(.goOnline)
    #expect(records.map { stage.fate(of: $0).isUpdate } == [false, false, true])
    #expect(stage.screen().cards.map { $0.content?["score"] } == [3, 9])
  }

  @Test("a stored push meets the changes since: a dead token is dead on return")
  func changed() throws {
    var stage = try stage()
    let kept = try push(&stage)
    try stage.order(.uninstall(app: Stage.app))
    try stage.order(.goOnline)
    #expect(stage.fate(of: kept) == .discardedFromStorage(.appAbsent))
    var other = try self.stage()
    let orphan = try push(&other)
    try other.order(.rotate(.device, app: Stage.app, attributesType: nil, activity: nil))
    try other.order(.goOnline)
    #expect(other.fate(of: orphan) == .discardedFromStorage(.orphanToken))
  }

  @Test("more may be kept for a token, up to the limit of the plan")
  func bounds() throws {
    var stage = try stage { $0.perToken = 3 }
    let records = try (0..<5).map { try push(&stage, "\($0)") }
    #expect(records.prefix(2).allSatisfy { stage.fate(of: $0) == .discarded(.superseded) })
    try stage.order(.goOnline)
    #expect(shown(stage) == ["2", "3", "4"])
    var small = try self.stage { $0.most = 2 }
    for device: UInt32 in 1...3 { try small.order(.goOffline, on: device) }
    #expect(try push(&small).fate == .stored(.offline))
    #expect(try push(&small, on: 1).fate == .stored(.offline))
    let full = try push(&small, on: 2)
    #expect(full.fate == .discarded(.storeFull))
    try small.order(.goOnline)
    #expect(try push(&small, on: 2).fate == .stored(.offline), "there is room again")
  }

  @Test("APNs stores 256 pushes for one phone, and drops the oldest beyond that")
  func shelf() throws {
    var stage = try stage()
    let records = try (0..<257).map { try push(&stage, "\($0)", collapse: "\($0)") }
    #expect(try stage.view().waiting == 256)
    #expect(stage.fate(of: records[0]) == .discarded(.storeFull))
    #expect(stage.fate(of: records[1]) == .stored(.offline))
  }

  @Test("a newer push to a full store replaces its predecessor")
  func replacesWhenFull() throws {
    var stage = try stage { $0.most = 1 }
    let older = try push(&stage, "old")
    let newer = try push(&stage, "new")
    #expect(stage.fate(of: older) == .discarded(.superseded) && newer.fate == .stored(.offline))
    try stage.order(.goOnline)
    #expect(shown(stage) == ["new"])
  }

  @Test("a stored push of priority 5 is deferred on arrival like any other")
  func lowPriority() throws {
    var stage = try stage()
    let record = try stage.send(try stage.token(), #"{"aps":{"alert":"B"}}"#, ["apns-priority": "5"])
    try stage.order(.goOnline)
    #expect(stage.fate(of: record).words == "Stored - Power Considerations")
    stage.advance(by: .seconds(120))
    #expect(stage.fate(of: record).shown != nil && stage.fates(of: record).count == 3)
  }
}
