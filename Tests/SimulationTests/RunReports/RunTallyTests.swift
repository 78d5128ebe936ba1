import APNs
import Testing
import Timeline
import WireFormats
@testable import Devices
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The numbers of a run")
struct RunTallyTests {
  private typealias Content = CountedRun.Content

  @Test("answers are counted by reason, fates by what the phone did")
  func answers() {
    var run = CountedRun()
    for device in 0..<3 as Range<UInt32> { run.push(device, at: 0) }
    run.push(3, at: 0.5, Content(), .tooManyRequests)
    run.push(4, at: 1, Content(), .unregistered)
    run.push(5, at: 1, Content(), .internalServerError)
    run.push(6, at: 1, Content(), sent: .nothing(.silence))
    let report = run.report()
    #expect(report.answers.map(\.count) == [4, 1, 1, 1])
    #expect(report.answers.map(\.status) == [200, 500, 429, 410])
    #expect(report.answers.map(\.reason) == [nil, "InternalServerError", "TooManyRequests", "Unregistered"])
    #expect(run.tally.count(.accepted) == 3 && run.tally.count(.unanswered) == 1 && run.tally.count(.failed) == 1)
    #expect(run.tally.otherAnswers == ["nothing (silence)": 1])
    #expect(report.fates.map(\.count) == [4])
    #expect(report.fates.first?.fate.outcome == "updated" && report.fates.first?.fate.kind == .device)
    #expect(report.kinds.map { [$0.counts.accepted, $0.counts.refused] } == [[4, 3]])
  }

  @Test("a push counts once by what was sent to it last, as in the metrics, whatever was sent before")
  func sent() {
    var run = CountedRun()
    let courses: [(first: SentAnswer?, later: [SentAnswer])] = [
      (nil, []), (nil, [.pending(.window), .answer(status: 200)]),
      (nil, [.pending(.window), .incomplete(status: 200)]),
      (.pending(.delay), [.answer(status: 200)]), (.pending(.delay), [.nothing(.clientReset)]), (.pending(.delay), []),
      (.malformed(status: 200), [.incomplete(status: 200)]),
      (.nothing(.silence), [.nothing(.clientReset), .nothing(.connectionEnded)]),
      (.nothing(.connectionFrozen), [.reset(code: 8)]), (.reset(code: 7), [.nothing(.connectionEnded)]),
    ]
    for (place, course) in courses.enumerated() {
      let push = run.push(UInt32(place), at: 0, sent: course.first)
      for sent in course.later {
        run.logs.read([.answerSent(push: push, sent, at: CountedRun.at(1))])
      }
    }
    let others =
      [
        "incomplete (200)": 2, "reset (REFUSED_STREAM)": 1, "pending (delay)": 1, "nothing (silence)": 1,
        "nothing (connection-frozen)": 1, "nothing (client-reset-stream)": 1,
      ] as [String: UInt64]
    #expect(run.tally.otherAnswers == others)
    let counted = run.logs.metrics.sent(.sandbox).filter { $0.sent.name != "answer" }
    #expect(Dictionary(uniqueKeysWithValues: counted.map { ($0.sent.words, $0.count) }) == others)
  }

  @Test("rates and retries of a run by the simulated clock are those of that clock")
  func simulatedClock() {
    var run = CountedRun(pace: 100)
    run.push(0, at: 0, Content(), .tooManyRequests)
    run.push(0, at: 20)
    run.push(1, at: 90)
    #expect(run.tally.retries.retries == 1 && run.tally.retries.hastyRetries == 0)
    #expect(run.tally.retries.delays.least == 20_000_000_000)
    #expect(run.tally.length == .seconds(90) && run.tally.machineLength == .milliseconds(900))
    #expect(run.tally.series.slots.count == 91 && run.tally.series.peak == 1)
  }

  @Test("answers of 429 that faults ordered are counted apart from those of limits")
  func orderedThrottling() {
    var run = CountedRun()
    run.push(0, at: 0, Content(), .tooManyRequests)
    run.rule = .requestRate
    run.push(1, at: 0, Content(), .tooManyRequests)
    #expect(run.tally.throttledByFaults == 1 && run.tally.throttledByLimits == 1)
    #expect(run.report().throttledTokens.map(\.address.device) == [DeviceID(1)])
  }

  @Test("a push that waits counts once, with its last fate, and its latency ends on the screen")
  func later() {
    var run = CountedRun()
    let push = run.push(0, at: 0, .update("1772366390"), fate: .stored(.offline))
    #expect(run.report().fates.map(\.fate.status) == [.storedOffline])
    #expect(run.tally.latency.showing.isEmpty)
    run.settle(push, .deliveredFromStorage(.updated(1, [], before: .init(content: .none, isStale: false))), at: 5)
    #expect(run.report().fates.map(\.fate.status) == [.deliveredFromStorage])
    #expect(run.tally.latency.showing.number(at: 1) == 5_000_000_000)
    #expect(run.tally.latency.whole.number(at: 1) == 15_000_000_000)
    #expect(run.tally.latency.sending.number(at: 1) == 10_000_000_000)
    run.settle(push, .discarded(.expired), at: 6)
    #expect(run.report().fates.map(\.count) == [1])
  }

  @Test("the time of an event is read with fractions; one that is early or far away is counted apart")
  func eventTimes() {
    var run = CountedRun()
    run.push(0, at: 0.75, .update("1772366400.25"))
    #expect(run.tally.latency.wholeSeconds == 0)
    #expect(run.tally.latency.whole.number(at: 1) == 500_000_000)
    run.push(1, at: 0.75, .update("1772366400"))
    #expect(run.tally.latency.wholeSeconds == 1)
    run.push(2, at: 1, .update("1772366500"))
    #expect(run.tally.latency.early == 1 && run.tally.latency.whole.least == 0)
    run.push(3, at: 1, .update("1772366400000"))
    run.push(4, at: 1, .update(#""now""#))
    #expect(run.tally.latency.implausible == 0 && run.tally.latency.whole.count == 3)
    run.push(5, at: 1, .update("1"))
    #expect(run.tally.latency.implausible == 1 && run.tally.latency.whole.count == 3)
    #expect(run.tally.latency.showing.count == 6)
  }

  @Test("a fan-out is one content to several phones, whatever its timestamps, and a pause ends it")
  func fanOuts() throws {
    var run = CountedRun()
    for device in 0..<4 as Range<UInt32> { run.push(device, at: Double(device), .update("177236640\(device)")) }
    run.push(9, at: 4, .update("1772366404", state: #"{"runs":6}"#))
    run.push(0, at: 20, .update("1772366420"))
    run.push(1, at: 21.5, .update("1772366420"))
    let found = run.report().fanOuts
    #expect(found.count == 2)
    #expect(found.largest.map(\.pushes) == [4, 2])
    let first = try #require(found.largest.first)
    #expect(first.sendingTime == .seconds(3) && first.showingTime == .seconds(3) && first.shown == 4)
    #expect(first.name == "runs 4")
    #expect(found.showing.least == 1_500_000_000 && found.showing.greatest == 3_000_000_000)
  }

  @Test("a collapse id makes a fan-out of different payloads")
  func collapseID() {
    var run = CountedRun()
    for device in 0..<3 as Range<UInt32> {
      run.push(device, at: 0, Content(collapse: "goal-1", body: #"{"aps":{"alert":"Tor \#(device)"}}"#))
      run.push(device, at: 0, Content(body: #"{"aps":{"alert":"For \#(device)"}}"#))
    }
    let found = run.report().fanOuts
    #expect(found.largest.map(\.pushes) == [3])
    #expect(found.largest.first?.name == "Tor 1, collapse id goal-1")
  }

  @Test("a phone that shows a push more than a minute later does not stretch the fan-out")
  func stragglers() throws {
    var run = CountedRun()
    run.push(0, at: 0)
    let held = run.push(1, at: 1, fate: .stored(.offline))
    let offline = run.push(2, at: 1, fate: .stored(.offline))
    run.settle(held, CountedRun.applied, at: 31)
    run.settle(offline, CountedRun.applied, at: 3600)
    let fanOut = try #require(run.report().fanOuts.largest.first)
    #expect(fanOut.shown == 2 && fanOut.late == 1)
    #expect(fanOut.showingTime == .seconds(31) && fanOut.sendingTime == .seconds(1))
  }

  @Test("thousands of single pushes are no fan-out, and do not push out one that goes on")
  func singles() {
    var run = CountedRun()
    for device in 0..<6000 as Range<UInt32> {
      let seconds = Double(device) / 1000
      run.push(device, at: seconds, Content(body: #"{"aps":{"alert":"For \#(device)"}}"#))
      if device % 100 == 0 { run.push(device, at: seconds) }
    }
    #expect(run.report().fanOuts.largest.map(\.pushes) == [60])
  }

  @Test("a run's report distinguishes retries from newer pushes by apns-id or payload")
  func retries() {
    var run = CountedRun()
    let id = "eabeae54-14a8-11e5-b60b-1697f925ec7b"
    run.push(0, at: 0, Content(), .tooManyRequests)
    run.push(0, at: 0.5, Content(), .tooManyRequests)
    run.push(0, at: 2.5)
    run.push(1, at: 3, Content(id: id, body: "{}"), .internalServerError)
    run.push(1, at: 5, Content(id: id.uppercased()), .unregistered)
    run.push(2, at: 6, Content(), .serviceUnavailable)
    run.push(2, at: 9, Content(body: #"{"aps":{"alert":"newer"}}"#))
    run.push(3, at: 10, Content(), .tooManyRequests)
    run.push(4, at: 10, Content(), .badDeviceToken)
    let retries = run.tally.retries
    #expect(retries.failures == 5 && retries.retries == 3)
    #expect(retries.recovered == 1 && retries.refused == 1 && retries.hastyRetries == 1)
    #expect(retries.overtaken == 1 && retries.abandoned == 1)
    #expect(retries.delays.least == 500_000_000 && retries.delays.greatest == 2_000_000_000)
  }

  @Test("the phones with most trouble come first, with what happened last")
  func phones() throws {
    var run = CountedRun()
    run.rule = .requestRate
    for second in 0..<5 {
      run.push(7, at: Double(second), Content(), .tooManyRequests)
      run.push(8, at: Double(second))
    }
    run.push(9, at: 5, fate: .discarded(.expired))
    for cause in [.permissionDenied, .notDetermined] as [PresentationCause] {
      run.push(6, at: 6, fate: .delivered(.notified(Presentation(.nothing, cause))))
    }
    let report = run.report()
    #expect(report.worstPhones.map(\.device.text) == ["d7", "d9"])
    let first = try #require(report.worstPhones.first?.phone)
    #expect(first.throttled == 5 && first.lost == 0 && first.latest.map(\.words) == ["429 TooManyRequests"] * 3)
    #expect(report.worstPhones[1].phone.latest.map(\.words) == ["Discarded - Expired, expired"])
    #expect(report.throttledTokens.map(\.count) == [5])
  }

  @Test("connections are counted with the pushes on each, and the pushes of one read")
  func connections() {
    var tally = ConnectionTally()
    for number in 1...2 as ClosedRange<UInt64> { tally.open(ProviderConnectionID(number)) }
    for push in 0..<5 {
      tally.push(on: ProviderConnectionID(1))
      if push == 2 { tally.endRead() }
    }
    tally.endRead()
    tally.push(on: ProviderConnectionID(2))
    tally.close(ProviderConnectionID(1))
    tally.endRead()
    #expect(tally.opened == 2 && tally.closed == 1 && tally.mostOpen == 2)
    #expect(tally.pushesPerConnection.buckets.map(\.upTo) == [1, 5])
    #expect(tally.reads.buckets.map(\.upTo) == [1, 2, 3])
  }

  @Test("an empty run says that it is one")
  func empty() {
    let report = CountedRun().report()
    #expect(report.isEmpty && report.notes.count == 1 && report.notes[0].contains("empty run"))
    #expect(report.limit == .tooSmall && report.rate == nil)
  }
}

private func * (list: [String], times: Int) -> [String] { (0..<times).flatMap { _ in list } }
