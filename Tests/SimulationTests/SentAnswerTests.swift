import APNs
import Devices
import Orders
import Scenarios
import Testing
import Timeline
import WireFormats

@testable import Simulation

/// A stage whose events go to a push log and to counts, as a simulator's do.
private struct Desk {
  var stage: Stage
  var logs = EventLogs(pushLogCapacity: 100)

  init(_ fault: Fault.Consequence? = nil, devices: UInt32 = 10) throws {
    stage = Stage(devices: devices)
    if let fault { try stage.world.perform(.setFault(Fault("f", fault)), at: stage.now) }
  }

  mutating func settle() { logs.read(stage.events()) }

  mutating func push() throws -> UInt64 {
    let record = try stage.push(stage.token())
    settle()
    return record.sequence
  }

  mutating func pushed() throws -> PushRecord {
    let number = try push()
    return try record(number)
  }

  func record(_ number: UInt64) throws -> PushRecord { try #require(logs.pushLog.push(number: number)) }

  func counts() -> [String: UInt64] {
    Dictionary(uniqueKeysWithValues: logs.metrics.sent(.sandbox).map { ($0.sent.words, $0.count) })
  }
}

@Suite("The answer that was sent, beside the one that was decided,")
struct SentAnswerTests {
  private static let goAwayBefore: FaultGoAway = {
    var goAway = FaultGoAway()
    goAway.before = 1
    return goAway
  }()

  static let faults: [(fault: Fault.Consequence, decided: Int, sent: SentAnswer)] = [
    (.push(.arrival(.lose)), 200, .answer(status: 200)), (.push(.arrival(.double)), 200, .answer(status: 200)),
    (.push(.lose), 200, .answer(status: 200)), (.push(.withoutID), 200, .answer(status: 200)),
    (.push(.silence), 200, .nothing(.silence)), (.push(.loseAnswer(code: nil)), 200, .nothing(.silence)),
    (.push(.loseAnswer(code: 8)), 200, .reset(code: 8)), (.push(.reset(code: 7)), 200, .reset(code: 7)),
    (.push(.malformed(status: 400, body: [1])), 200, .malformed(status: 400)),
    (
      .push(.malformed(status: 400, body: [1], pieces: FaultBodySplit(sizes: [1], end: .never))), 200,
      .incomplete(status: 400)
    ),
    (.push(.refuse(.tooManyRequests, retryAfter: nil, age: nil)), 429, .answer(status: 429)),
    (.push(.refuse(.tooManyRequests, retryAfter: 3, age: nil)), 429, .answer(status: 429)),
    (
      .push(.refuse(.tooManyRequests, retryAfter: nil, age: nil, pieces: FaultBodySplit(sizes: [1], end: .never))), 429,
      .incomplete(status: 429)
    ),
    (.push(.delay(.between(.seconds(2) ... .seconds(2)))), 200, .pending(.delay)),
    (.push(.delay(.between(.zero ... .zero))), 200, .answer(status: 200)),
    (.connection(.abort), 200, .nothing(.connectionAborted)),
    (.connection(.freeze(answersPings: true)), 200, .nothing(.connectionFrozen)),
    (.connection(.goAway(goAwayBefore)), 200, .nothing(.goAway)),
    (.connection(.goAway(FaultGoAway())), 200, .answer(status: 200)), (.connection(.close), 200, .answer(status: 200)),
    (.connection(.rejectAll(.internalServerError)), 500, .answer(status: 500)),
  ]

  @Test("the answer that was sent is the one of the fault, for every fault of a push", arguments: faults)
  func faulted(fault: Fault.Consequence, decided: Int, sent: SentAnswer) throws {
    var desk = try Desk(fault)
    let record = try desk.pushed()
    #expect(record.status == decided && record.sent == sent)
    #expect(desk.counts() == [sent.words: 1])
    #expect(desk.logs.metrics.accepted == (decided == 200 ? 1 : 0))
  }

  @Test("of a push without a matching fault is the decided one")
  func plain() throws {
    var desk = try Desk()
    #expect(try desk.pushed().sent == .answer(status: 200))
    _ = try desk.stage.push("00")
    desk.settle()
    #expect(desk.counts() == ["200": 1, "400": 1])
    #expect(try desk.record(2).sentSentence == nil)
  }

  @Test("the answer that was sent is pending while a fault delays it, and the decided one afterwards")
  func delayed() throws {
    var desk = try Desk(.push(.delay(.between(.seconds(2) ... .seconds(2)))))
    let number = try desk.push()
    desk.stage.advance(by: .seconds(3))
    desk.settle()
    let record = try desk.record(number)
    #expect(record.sent == .answer(status: 200))
    #expect(record.at.world.duration(to: record.sentAt) == .seconds(2))
    #expect(desk.counts() == ["200": 1])
  }

  @Test("no answer is sent if the connection ends while a fault delays it; other connections are not affected")
  func gone() throws {
    var desk = try Desk(.push(.delay(.between(.seconds(2) ... .seconds(2)))))
    let numbers = [try desk.push(), try desk.push()]
    let other = try desk.stage.push(
      desk.stage.token(app: 1), topic: Stage.store, on: Stage.production)
    desk.stage.world.connectionClosed(Stage.sandbox, at: desk.stage.now)
    desk.settle()
    for number in numbers { #expect(try desk.record(number).sent == .nothing(.connectionEnded)) }
    #expect(try desk.record(other.sequence).sent == .pending(.delay))
    #expect(desk.stage.world.holdsAnswers)
    desk.stage.advance(by: .seconds(3))
    desk.settle()
    for number in numbers { #expect(try desk.record(number).sent == .nothing(.connectionEnded)) }
    #expect(try desk.record(other.sequence).sent == .answer(status: 200))
    #expect(!desk.stage.world.holdsAnswers)
  }

  @Test("the answer that was sent does not replace the push's fate in an explanation")
  func explanation() throws {
    for consequence in [PushFault.withoutID, .loseAnswer(code: nil), .delay(.between(.zero ... .zero))] {
      var desk = try Desk(.push(consequence))
      let number = try desk.push()
      desk.settle()
      let outcome = PushStory(try desk.record(number), DevicePolicy()).outcome
      let line = try #require(outcome.line)
      #expect(line.event != "answer" && line.evidence != nil && !outcome.remarks.contains(line.sentence))
    }
  }

  @Test("no answer is sent on a stream that the client resets first, although a fault delayed it")
  func cancelled() throws {
    var simulator = Simulator(world: Stage().world, clock: WorldClock(), pushLogCapacity: 10)
    var desk = try Desk(.push(.delay(.between(.seconds(2) ... .seconds(2)))))
    let stream = try desk.stage.push(desk.stage.token()).stream
    simulator.world = desk.stage.world
    _ = simulator.settle()
    simulator.answersWent([(stream.number, .never(.clientReset))], on: stream.connection, at: desk.stage.now)
    _ = simulator.settle()
    #expect(simulator.readers.logs.pushLog.push(number: 1)?.sent == .nothing(.clientReset))
    #expect(!simulator.world.holdsAnswers)
  }

  @Test("waits for the client's window, and is sent unchanged; it does not change after the stream closed")
  func held() throws {
    var desk = try Desk()
    let stream = try desk.stage.push("00").stream
    var simulator = Simulator(world: desk.stage.world, clock: WorldClock(), pushLogCapacity: 10)
    _ = simulator.settle()
    func tell(_ progress: AnswerProgress) -> SentAnswer? {
      simulator.answersWent([(stream.number, progress)], on: stream.connection, at: desk.stage.now)
      _ = simulator.settle()
      return simulator.readers.logs.pushLog.push(number: 1)?.sent
    }
    #expect(tell(.waits(.window)) == .pending(.window))
    #expect(tell(.left) == .answer(status: 400))
    #expect(tell(.waits(.window)) == .pending(.window))
    #expect(tell(.never(.connectionEnded)) == .nothing(.connectionEnded))
    #expect(tell(.left) == .nothing(.connectionEnded))
    #expect(simulator.readers.logs.metrics.sent(.sandbox).map(\.sent) == [.nothing(.connectionEnded)])
  }

  @Test("the answer on a refused stream, or one above a GOAWAY's last stream, shows that nothing was processed")
  func processed() throws {
    for (fault, _, sent) in Self.faults {
      var desk = try Desk(fault)
      let record = try desk.pushed()
      let isProcessed = sent != .reset(code: 7) && sent != .nothing(.goAway)
      #expect(record.isProcessed == isProcessed, "\(fault)")
      let story = PushStory(record).lines
      #expect(story.contains { $0.event == "accepted" } == (isProcessed && record.status == 200), "\(fault)")
      let told = story.first { $0.event == "answer" }
      #expect((told == nil) == (record.sentSentence == nil), "\(fault)")
      if sent != .answer(status: record.status) { #expect(told?.cause == sent.name, "\(fault)") }
    }
    var desk = try Desk(.push(.loseAnswer(code: 7)))
    #expect(try desk.pushed().isProcessed)
  }

  @Test("pushes are filtered by the answer that was sent: by a status, or by a name")
  func filter() throws {
    var logs = EventLogs(pushLogCapacity: 100)
    for (fault, _, _) in Self.faults {
      var desk = try Desk(fault)
      _ = try desk.stage.push(desk.stage.token())
      logs.read(desk.stage.events())
    }
    func count(_ text: String) throws -> Int {
      let sent = try #require(SentAnswerFilter(text))
      var filter = Filter()
      filter.sent = sent
      return logs.pushLog.list(filter, before: nil, limit: 100).pushes.count
    }
    for text in SentAnswer.names {
      #expect(try count(text) == Self.faults.count { $0.sent.name == text }, "\(text)")
    }
    for status in [200, 400, 429, 500] {
      #expect(try count("\(status)") == Self.faults.count { $0.sent == .answer(status: status) }, "\(status)")
    }
    #expect(SentAnswerFilter("99") == nil && SentAnswerFilter("sent") == nil && SentAnswerFilter("") == nil)
  }

  @Test("every kind of answer that was sent is recorded on a tape")
  func tape() throws {
    var desk = try Desk()
    let before = desk.stage.record()
    _ = try desk.stage.push(desk.stage.token())
    let words: [SentAnswer] =
      [.answer(status: 200), .malformed(status: 400), .incomplete(status: 599), .reset(code: 13)]
      + SentAnswer.Wait.allCases.map { .pending($0) } + SentAnswer.Cause.allCases.map { .nothing($0) }
    for word in words { desk.stage.world.answerWent(to: 1, on: Stage.sandbox, word, at: desk.stage.now) }
    _ = desk.stage.events()
    let reel = try Reel(desk.stage.batches)
    #expect(reel.read.ending == .whole)
    #expect(reel.play(in: before).difference == nil)
    let read = reel.read.records.flatMap { $0 }.compactMap { call -> SentAnswer? in
      if case .answerWent(1, Stage.sandbox, let sent) = call.call { sent } else { nil }
    }
    #expect(read == words)
  }
}
