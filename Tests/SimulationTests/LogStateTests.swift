import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Events that happen to logs with room for three pushes and twelve events on phones.
private enum Deed: String, CaseIterable {
  case push, line, pushes, lines, reset
}

/// Logs, and a simple model of what they must contain.
private struct Diary {
  var readers = EventReaders(EventLogs(pushLogCapacity: 3, audits: true), apps: Stage.profiles.map(\.bundleID))
  /// Every event: whether it is a push, and its number among the pushes or the lines.
  private(set) var all: [(isPush: Bool, number: Int)] = []
  private var firstPush = 1
  private var firstLine = 1
  let request: PushRecord

  init(_ request: PushRecord) { self.request = request }

  mutating func does(_ deed: Deed) {
    switch deed {
    case .push: push()
    case .line: line()
    case .pushes: for _ in 0..<5 { push() }
    case .lines: for _ in 0..<17 { line() }
    case .reset:
      _ = readers.beginAnew()
      (firstPush, firstLine) = (count(true) + 1, count(false) + 1)
    }
  }

  private func count(_ isPush: Bool) -> Int { all.count { $0.isPush == isPush } }

  private mutating func push() {
    all.append((true, count(true) + 1))
    firstPush = max(firstPush, count(true) - 2)
    let facts = PushRecord.Facts(
      .init(sequence: UInt64(count(true)), at: request.at, stream: StreamID(Stage.sandbox, Int32(count(true)))),
      push: request.push, answer: request.answer, keyNumber: nil, address: request.address,
      outcome: .init(fate: request.firstFate, sent: nil))
    readers.logs.read([.push(PushRecord(facts))])
  }

  private mutating func line() {
    all.append((false, count(false) + 1))
    firstLine = max(firstLine, count(false) - 11)
    readers.logs.read([.phone(DeviceID(0), app: 0, .unlocked, at: Stage.began)])
  }

  private func isKept(_ event: (isPush: Bool, number: Int)) -> Bool {
    event.number >= (event.isPush ? firstPush : firstLine)
  }

  /// The number of the last event that is not kept.
  var lastGone: Int { all.lastIndex { !isKept($0) }.map { $0 + 1 } ?? 0 }

  func pushes(after sequence: Int) -> Int { all.dropFirst(max(sequence, lastGone)).count { $0.isPush } }
  var keptPushes: Int { all.count { $0.isPush && isKept($0) } }
  var keptLines: Int { all.count { !$0.isPush && isKept($0) } }
}

/// A viewer, and the number of the last event that it has accounted for.
private struct Watching {
  var viewer: EventViewer
  let filter: ViewerFilter
  var reached: UInt64?

  /// Reads all messages, in order.
  mutating func watch(_ diary: Diary, _ now: inout UInt64, _ story: String) {
    for _ in 0..<5 {
      now += 2_000_000_000
      for message in viewer.next(diary.readers, at: now) {
        switch message {
        case .open(let after): reached = after
        case .gap(let range, let restarted):
          let next = reached.map { $0 + 1 }
          // With a filter, events in between did not match.
          #expect(restarted || range.lowerBound == next || !filter.isEmpty, "\(story)")
          #expect(range.upperBound <= UInt64(diary.lastGone), "\(story): events are passed over that are kept")
          reached = range.upperBound
        case .event(let sighting):
          #expect(!filter.isEmpty || sighting.sequence == reached.map { $0 + 1 }, "\(story)")
          reached = sighting.sequence
        case .many(let count, _, let upTo, let last):
          #expect(!filter.isEmpty || reached.map { $0 + count } == upTo, "\(story)")
          #expect(UInt64(last.count) <= count, "\(story)")
          reached = upTo
        case .quiet: break
        }
      }
    }
    if filter.isEmpty { #expect(reached == diary.readers.logs.end.sequence, "\(story)") }
  }
}

@Suite("Every reader of the logs, whatever happened to these")
struct LogStateTests {
  private static let filters: [ViewerFilter] = {
    var kinds = ViewerFilter()
    kinds.kinds = [.phone]
    var session = ViewerFilter()
    session.session = "none"
    var filter = Filter()
    filter.devices = [DeviceID(0)]
    return [ViewerFilter(), kinds, session, ViewerFilter(filter, apps: [])]
  }()

  /// All sequences of up to four deeds.
  private static let stories: [[Deed]] = {
    var all: [[Deed]] = [[]]
    var last = all
    for _ in 0..<4 {
      last = last.flatMap { story in Deed.allCases.map { story + [$0] } }
      all += last
    }
    return all
  }()

  private func record() throws -> PushRecord {
    var stage = Stage()
    return try stage.push(try stage.token())
  }

  @Test("the events after a place are those that are kept, each once")
  func places() throws {
    let request = try record()
    for story in Self.stories {
      var diary = Diary(request)
      for deed in story { diary.does(deed) }
      let logs = diary.readers.logs
      #expect(logs.kept.sequence == UInt64(diary.lastGone), "\(story)")
      var place = logs.kept
      while let event = logs.event(after: place) {
        #expect(logs.place(after: place.sequence) == place && logs.kind(after: place) == event.kind, "\(story)")
        event.pass(&place)
      }
      #expect(place == logs.end && logs.kind(after: place) == nil, "\(story)")
      #expect(logs.pushLog.record(aged: -1) == nil && logs.deviceEvents.line(aged: -1) == nil)
    }
  }

  @Test("a viewer accounts for every event, in order, whenever it was opened")
  func viewers() throws {
    let request = try record()
    for story in Self.stories {
      var diary = Diary(request)
      var open: [Watching] = []
      var now: UInt64 = 0
      for deed in story + [.push] {
        for filter in Self.filters {
          for after in [nil, 0, diary.readers.logs.end.sequence, 1_000] as [UInt64?] {
            open.append(Watching(viewer: EventViewer(filter, after: after), filter: filter))
          }
        }
        // Half of them have read something when the logs change.
        for index in open.indices where index.isMultiple(of: 2) { open[index].watch(diary, &now, "\(story)") }
        diary.does(deed)
      }
      for index in open.indices { open[index].watch(diary, &now, "\(story)") }
    }
  }

  @Test("expectations about the ledger count the pushes that are kept, in portions of any size")
  func checks() throws {
    let (request, world) = (try record(), Stage().world)
    for story in Self.stories {
      var diary = Diary(request)
      for deed in story { diary.does(deed) }
      for after in [nil, 0, 1, 7, UInt64(diary.all.count), 1_000] as [UInt64?] {
        for work in [1, 5, 4_000] {
          let start = after.map { Int($0) } ?? 0
          let pushes = diary.pushes(after: min(start, diary.all.count))
          let question = Question.pushes(Filter(), .count(pushes...pushes))
          var check = LedgerCheck(
            Observer(
              [Simulation.Expectation(name: "n", place: "n", question: question)], apps: [], began: Stage.began),
            after: after, diary.readers.logs)
          var portions = 0
          while !check.read(diary.readers.logs, work: work), portions < 100 { portions += 1 }
          #expect(portions < 100, "\(story)")
          let judgement = check.judge(world, diary.readers.logs, at: Stage.began, isLast: true, work: 4_000)
          guard case .verdicts(let verdicts) = judgement else {
            Issue.record("\(story)")
            continue
          }
          #expect(verdicts.map(\.passed) == [true], "\(story), after \(after ?? 0): \(verdicts)")
        }
      }
    }
  }

  @Test("an expectation that is waited for goes on after the logs were emptied")
  func waiting() throws {
    let (request, world) = (try record(), Stage().world)
    for story in Self.stories where story.contains(.reset) {
      var diary = Diary(request)
      let sometimes = Question.pushes(Filter(), .sometimes(Filter()))
      var check = LedgerCheck(
        Observer(
          [Simulation.Expectation(name: "n", place: "n", question: sometimes)], apps: [], began: Stage.began),
        after: nil, diary.readers.logs)
      for deed in story + [.push] {
        diary.does(deed)
        var portions = 0
        while !check.read(diary.readers.logs, work: 2), portions < 100 { portions += 1 }
        #expect(portions < 100, "\(story)")
      }
      let judgement = check.judge(world, diary.readers.logs, at: Stage.began, isLast: false, work: 4_000)
      if case .verdicts(let verdicts) = judgement {
        #expect(verdicts.allSatisfy { $0.passed })
      } else {
        Issue.record("\(story)")
      }
    }
  }

  @Test("the log of a device and the list of pushes have what is kept, from any cursor")
  func lists() throws {
    let request = try record()
    var simulator = Simulator(world: Stage().world, clock: WorldClock(), pushLogCapacity: 3)
    for story in Self.stories {
      var diary = Diary(request)
      for deed in story { diary.does(deed) }
      simulator.readers = diary.readers
      let logs = diary.readers.logs
      let lines = simulator.log(of: DeviceID(0), process: nil, before: nil, limit: .max).lines
      #expect(lines.count { $0.event == "unlocked" } == diary.keptLines, "\(story)")
      #expect(logs.pushLog.list(Filter(), before: nil, limit: .max).pushes.count == diary.keptPushes, "\(story)")
      for cursor in [0, 1, 3, 1_000, .max] as [UInt64] {
        let before = Simulator.LogCursor(push: cursor, line: cursor)
        _ = simulator.log(of: DeviceID(0), process: nil, before: before, limit: 2)
        _ = logs.pushLog.list(Filter(), before: cursor, limit: 1)
        _ = logs.pushLog.push(number: cursor)
        _ = Array(logs.calls.newest(before: cursor))
      }
      #expect(logs.pushLog.pushes(on: Stage.sandbox, [1, 2]).count <= diary.keptPushes)
    }
  }
}
