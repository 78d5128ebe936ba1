import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Work that is counted, not timed: what is done in one hold of a lock does not grow with a second factor.
@Suite("The work for expectations and sessions in one portion")
struct ExpectationWorkTests {
  private static let portion = 2_000

  /// - Parameter met: whether the pushes satisfy them.
  private func expectations(_ count: Int, met: Bool) -> [Simulation.Expectation] {
    var filter = Filter()
    filter.status = met ? 200 : 410
    return (0..<count).map { number in
      Simulation.Expectation(name: "\(number)", place: "\(number)", question: .pushes(Filter(), .all(filter)))
    }
  }

  private func stage(pushes: Int) throws -> SessionStage {
    var stage = SessionStage(pushLog: 5_000)
    for number in 0..<pushes { try stage.push(UInt32(number % 10)) }
    return stage
  }

  @Test("the work of reading the ledger is the number of pushes times the number of expectations")
  func reading() throws {
    let stage = try stage(pushes: 500)
    func portions(_ count: Int) -> Int {
      let logs = stage.simulator.readers.logs
      var check = LedgerCheck(
        Observer(expectations(count, met: true), apps: [], began: stage.now.world), after: nil, logs)
      var portions = 1
      while !check.read(logs, work: Self.portion), portions < 10_000 { portions += 1 }
      return portions
    }
    let events = stage.simulator.readers.logs.end.sequence
    for count in [1, 10, 100, 1_000] {
      let least = (Int(events) * count) / Self.portion
      #expect((least...2 * least + 2).contains(portions(count)), "\(count) expectations")
    }
  }

  @Test("the work of finding the causes is the number of pushes times the number of failed expectations")
  func judging() throws {
    let stage = try stage(pushes: 500)
    let (logs, world) = (stage.simulator.readers.logs, stage.simulator.world)
    func portions(_ count: Int, met: Bool, isLast: Bool) -> Int {
      var check = LedgerCheck(
        Observer(expectations(count, met: met), apps: [], began: stage.now.world), after: nil, logs)
      while !check.read(logs, work: .max / 2) {}
      var portions = 1
      while true {
        switch check.judge(world, logs, at: stage.now.world, isLast: isLast, work: Self.portion) {
        case .unfinished: portions += 1
        case .unmet:
          #expect(!isLast && !met)
          return portions
        case .verdicts(let verdicts):
          #expect(verdicts.count == count && verdicts.allSatisfy { $0.passed == met })
          #expect(verdicts.map(\.name) == (0..<count).map { "\($0)" })
          #expect(met || verdicts.allSatisfy { $0.pushes.count == 6 })
          return portions
        }
      }
    }
    for count in [10, 100, 1_000] {
      let each = ExpectationSearch.verdict
      let sentences = count * each / Self.portion
      #expect((sentences...sentences + 2).contains(portions(count, met: true, isLast: true)))
      let least = count * (500 + each) / Self.portion
      #expect((least...least + count / 50 + 2).contains(portions(count, met: false, isLast: true)))
      // While a client waits, the first failure is enough, and nobody reads why.
      #expect(portions(count, met: false, isLast: false) == 1)
    }
  }

  @Test("an expectation that was not met is asked first the next time")
  func unmet() throws {
    var stage = try stage(pushes: 3)
    var expectations = expectations(900, met: true)
    expectations.append(
      Simulation.Expectation(name: "four", place: "four", question: .pushes(Filter(), .count(4...4))))
    var check = LedgerCheck(
      Observer(expectations, apps: [], began: stage.now.world), after: nil, stage.simulator.readers.logs)
    func portions() -> Int {
      let logs = stage.simulator.readers.logs
      while !check.read(logs, work: .max / 2) {}
      var portions = 1
      while case .unfinished = check.judge(
        stage.simulator.world, logs, at: stage.now.world, isLast: false, work: Self.portion)
      {
        portions += 1
      }
      return portions
    }
    #expect(portions() > 10)
    #expect(portions() == 1)
    try stage.push(1)
    #expect(portions() > 10)
  }

  @Test("the work of closing a session is divided into portions, and its verdicts are those of one portion")
  func closing() throws {
    var stage = SessionStage(pushLog: 5_000)
    try stage.open("s", keys: [0], expect: expectations(200, met: false))
    for number in 0..<300 { try stage.push(UInt32(number % 10)) }
    var other = stage
    let whole = try other.close("s")
    try stage.simulator.beginClosing("s", at: stage.now.world)
    var portions = 1
    while true {
      var work = Self.portion
      _ = stage.simulator.endSessions(wall: stage.now.wall, work: &work)
      if !stage.simulator.hasEndingSessions { break }
      #expect(try stage.session("s").passed == nil && !stage.session("s").isOpen)
      // Pushes in between belong to no session.
      try stage.push(11)
      portions += 1
    }
    #expect(portions >= 200 * 300 / Self.portion)
    #expect(try stage.session("s").verdicts == whole.verdicts && stage.session("s").passed == false)
    #expect(whole.verdicts.count == 200)
  }

  @Test("sessions that expire together are closed a few at a time, and all of them")
  func expiring() throws {
    var stage = SessionStage(devices: 100)
    for number: UInt32 in 0..<100 {
      var order = SessionRequest()
      order.name = "s\(number)"
      order.scope = try SessionStage.scope(devices: [number])
      order.expect(expectations(50, met: false), apps: [])
      order.life = .seconds(60)
      _ = try stage.simulator.openSession(order, at: stage.now)
      try stage.push(number)
    }
    let later = stage.now.wall.advanced(by: .seconds(61))
    func portions(_ body: (inout Int) -> Bool) -> Int {
      var (portions, isDone) = (0, false)
      while !isDone {
        var work = Self.portion
        isDone = body(&work)
        portions += 1
      }
      return portions
    }
    let closing = portions { stage.simulator.closeExpiredSessions(wall: later, work: &$0) }
    #expect((2...100).contains(closing) && stage.simulator.readers.sessions.openCount == 0)
    let ending = portions { work in
      _ = stage.simulator.endSessions(wall: later, work: &work)
      return !stage.simulator.hasEndingSessions
    }
    #expect(ending >= 100 * 50 * ExpectationSearch.verdict / Self.portion)
    for number in 0..<100 { #expect(try stage.session("s\(number)").verdicts.count == 50) }
  }

  @Test("sessions that name many phones end a few at a time")
  func releasing() throws {
    var stage = SessionStage(devices: 50_000)
    for number: UInt32 in 0..<10 {
      try stage.open("s\(number)", devices: (number * 5_000..<(number + 1) * 5_000).map { $0 })
      try stage.simulator.beginClosing("s\(number)", at: stage.now.world)
    }
    var portions = 0
    while stage.simulator.hasEndingSessions {
      var work = Self.portion
      _ = stage.simulator.endSessions(wall: stage.now.wall, work: &work)
      portions += 1
    }
    #expect((4...10).contains(portions))
    try stage.open("t", devices: [0, 49_999])
  }

  @Test("pushes to the phones of a closed session are nobody's until it has ended, and then those of the next session")
  func keeping() throws {
    for isDeleted in [false, true] {
      var stage = SessionStage()
      try stage.open("s", devices: [3], expect: expectations(10, met: true))
      try stage.push(3)
      try stage.simulator.beginClosing("s", at: stage.now.world)
      #expect(throws: CommandProblem.self) { try stage.open("u", devices: [3]) }
      try stage.open("t", devices: [4])
      let own = try stage.push(4).sequence
      try stage.push(3)
      #expect(try stage.pushes("t") == [own] && stage.pushes("s").count == 1)
      if isDeleted {
        try stage.simulator.deleteSession("s")
      } else {
        var work = Int.max
        _ = stage.simulator.endSessions(wall: stage.now.wall, work: &work)
      }
      #expect(!stage.simulator.hasEndingSessions)
      try stage.open("u", devices: [3])
      let last = try stage.push(3).sequence
      #expect(try stage.pushes("u") == [last] && stage.pushes("t") == [own])
    }
  }

  @Test("screens are compared a few at a time, and named ones and all give the same verdict")
  func screens() throws {
    let stage = SessionStage(devices: 3_000)
    var shape = ScreenPattern()
    shape.notifications = 0...0
    var named = Selection()
    named.filter.devices = (0..<3_000).map { DeviceID($0) }
    for selection in [Selection(), named] {
      let question = Question.screens(selection, shape, .all)
      let logs = stage.simulator.readers.logs
      var check = LedgerCheck(
        Observer(
          [Simulation.Expectation(name: "n", place: "n", question: question)], apps: [], began: stage.now.world),
        after: nil, logs)
      while !check.read(logs, work: 1_000) {}
      var portions = 1
      var found: [Verdict]?
      while found == nil {
        switch check.judge(stage.simulator.world, logs, at: stage.now.world, isLast: true, work: Self.portion) {
        case .unfinished: portions += 1
        case .unmet: Issue.record("it waits although it is the last time")
        case .verdicts(let verdicts): found = verdicts
        }
      }
      #expect(found?.map(\.found) == ["3000 of 3000"])
      #expect(portions >= 3_000 * ExpectationSearch.screen / Self.portion)
    }
  }

  // MARK: - Sessions

  private func crowd() throws -> SessionStage {
    var stage = SessionStage(devices: 400)
    for device: UInt32 in 0..<300 { try stage.open("s\(device)", keys: [0], devices: [device]) }
    return stage
  }

  @Test("an answer that no session waits for is looked up once, however many sessions are open")
  func answers() throws {
    var stage = try crowd()
    let record = try stage.push(7)
    let stranger = try stage.push(350)
    let before = stage.simulator.readers.sessions.looks
    func sent(_ number: UInt64, _ sent: SentAnswer) {
      stage.simulator.readers.read(
        EventBatch(events: [.answerSent(push: number, sent, at: stage.now.world)], calls: [], step: nil))
    }
    for _ in 0..<10 { sent(stranger.sequence, .pending(.window)) }
    sent(record.sequence, .pending(.window))
    #expect(try stage.session("s7").metrics.sent(.sandbox).map(\.sent) == [.pending(.window)])
    // From now on its session is known.
    sent(record.sequence, .pending(.frozen))
    sent(record.sequence, .nothing(.connectionEnded))
    #expect(try stage.session("s7").metrics.sent(.sandbox).map(\.sent) == [.nothing(.connectionEnded)])
    #expect(stage.simulator.readers.sessions.looks - before == 11)
  }

  @Test("the end of a connection is heard by the sessions that used it, and by no others")
  func connections() throws {
    var stage = try crowd()
    for device in [3, 4, 3, 350] as [UInt32] { try stage.push(device) }
    let before = stage.simulator.readers.sessions.looks
    for key in 0..<3 { stage.simulator.world.connectionClosed(SessionStage.connection(key), at: stage.now) }
    stage.settle()
    #expect(stage.simulator.readers.sessions.looks - before == 2)
  }

  @Test("a session overlaps with those with which it shares a phone, and with those that name none")
  func overlaps() throws {
    var stage = try crowd()
    try stage.open("key", keys: [2])
    func problem(_ devices: [UInt32], keys: [Int]? = nil) -> CommandProblem? {
      #expect(throws: CommandProblem.self) { try stage.open("x", keys: keys, devices: devices) }
    }
    #expect(problem([350, 7, 5])?.sentence.contains("the open session s5;") == true)
    #expect(problem([350])?.sentence.contains("the open session key;") == true)
    try stage.open("y", keys: [1], devices: [350])
    try stage.open("z", keys: [0], devices: [350])
    #expect(problem([350], keys: [1])?.sentence.contains("the open session y;") == true)
  }
}
