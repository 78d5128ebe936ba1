import APNs
import Devices
import Testing
import Timeline

@testable import Simulation

@Suite("Lives of pushes")
struct PushLivesTests {
  private static let noon = Instant(seconds: 1_772_366_400)
  private let log = PushLog(capacity: 1)
  private static let held = Fate.delivered(.held(.lowPriority, until: noon))

  private static func push(_ number: UInt64, _ fate: Fate, sent: SentAnswer? = nil) throws -> PushRecord {
    var stage = Stage()
    let record = try stage.push(try stage.token())
    return PushRecord(
      .init(
        .init(sequence: number, at: record.at, stream: record.stream), push: record.push, answer: record.answer,
        keyNumber: record.keyNumber, address: record.address, outcome: .init(fate: fate, sent: sent)))
  }

  @Test("A push is followed while its fate or its answer may change")
  func open() throws {
    var lives = PushLives()
    let records = [
      try Self.push(1, .refused), try Self.push(2, Self.held), try Self.push(3, .refused, sent: .pending(.delay)),
    ]
    for record in records { lives.follow(PushLife(record, .init())) }
    let (fate, answer) = (lives.settle(1, .discarded(.expired)), lives.answer(1, sent: .pending(.window), in: log))
    #expect(fate == nil && answer == nil && lives.count == 2)
  }

  @Test("Each change comes with the state before it, and a life ends with its last change")
  func changes() throws {
    var lives = PushLives()
    lives.follow(PushLife(try Self.push(7, .stored(.offline), sent: .pending(.delay)), .init(step: 3)))
    let answered = lives.answer(7, sent: .answer(status: 200), in: log)
    #expect(
      answered?.before.sent == .pending(.delay) && answered?.fate == .stored(.offline) && answered?.isOpen == true)
    let deferred = lives.settle(7, Self.held)
    #expect(deferred?.before.fate == .stored(.offline) && deferred?.sent == .answer(status: 200))
    let ended = lives.settle(7, .discarded(.coalesced))
    #expect(ended?.before.fate == Self.held && ended?.isOpen == false && ended?.before.notes.step == 3)
    #expect(ended?.record.firstFate == .stored(.offline) && lives.count == 0)
  }

  @Test("After a stream is reset, no other answer counts, and the fate of its push still does")
  func reset() throws {
    var lives = PushLives()
    lives.follow(PushLife(try Self.push(1, Self.held), .init()))
    let (reset, late) = (
      lives.answer(1, sent: .reset(code: 8), in: log), lives.answer(1, sent: .answer(status: 200), in: log)
    )
    #expect(reset?.isOpen == true && late == nil)
    let ended = lives.settle(1, .discarded(.coalesced))
    #expect(ended?.sent == .reset(code: 8) && lives.count == 0)
  }

  @Test("A push that is followed no more is known from the push log, and followed again while its answer waits")
  func late() throws {
    var (lives, log) = (PushLives(), PushLog(capacity: 1))
    log.append(try Self.push(1, .discarded(.expired)))
    let waits = lives.answer(1, sent: .pending(.window), in: log)
    #expect(waits?.before.sent == .answer(status: 200) && lives.count == 1)
    let sent = lives.answer(1, sent: .answer(status: 200), in: log)
    #expect(sent?.before.sent == .pending(.window) && lives.count == 0)
    log.append(try Self.push(2, .discarded(.expired)))
    let unknown = lives.answer(1, sent: .reset(code: 8), in: log)
    #expect(unknown == nil)
  }

  @Test("The answer to a push from before the expectations does not count, and neither do later fates of that push")
  func earlier() throws {
    var (waits, answered, held) = (Filter(), Filter(), Filter())
    (waits.sent, answered.sent, held.outcome) = (.name("pending"), .status(200), "held")
    let questions = [waits, answered, held].map { Question.pushes($0, .count(0...0)) }
    var logs = EventLogs(pushLogCapacity: 10)
    logs.read([.push(try Self.push(1, .stored(.offline), sent: .pending(.delay)))])
    logs.observer = Observer(
      questions.map { Simulation.Expectation(name: "n", place: "n", question: $0) }, apps: [], began: Stage.began)
    func change(_ number: UInt64) {
      logs.read([.answerSent(push: number, .answer(status: 200), at: Self.noon)])
      logs.read([.pushSettled(number: number, DeviceID(0), Self.held, at: Self.noon)])
    }
    change(1)
    let observer = try #require(logs.observer)
    #expect(questions.indices.map { observer.counts($0).meant } == [0, 0, 0])
    logs.read([.push(try Self.push(2, .stored(.offline), sent: .pending(.delay)))])
    change(2)
    let later = try #require(logs.observer)
    #expect(questions.indices.map { later.counts($0).meant } == [0, 1, 1])
  }
}
