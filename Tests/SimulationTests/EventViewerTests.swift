import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// The readers of a stage, and how much time of a steady clock has passed.
private struct Watched {
  static let second: UInt64 = 1_000_000_000

  var stage = Stage()
  var readers: EventReaders
  var now: UInt64 = 0

  init(pushLog: Int = 1000) {
    readers = EventReaders(EventLogs(pushLogCapacity: pushLog), apps: Stage.profiles.map(\.bundleID))
  }

  mutating func push(_ count: Int = 1, on device: UInt32 = 0) throws {
    for _ in 0..<count { _ = try stage.push(try stage.token(on: device)) }
    readers.logs.read(stage.events())
  }

  mutating func order(_ action: DeviceAction, on device: UInt32 = 0) throws {
    try stage.order(action, on: device)
    readers.logs.read(stage.events())
  }

  func next(_ viewer: inout EventViewer) -> [EventViewer.Message] { viewer.next(readers, at: now) }
}

extension EventViewer.Message {
  fileprivate var sighting: EventViewer.Sighting? { if case .event(let sighting) = self { sighting } else { nil } }

  fileprivate var many: (count: UInt64, pushes: UInt64, upTo: UInt64, last: [UInt64])? {
    guard case .many(let count, let pushes, let upTo, let last) = self else { return nil }
    return (count, pushes, upTo, last.map(\.sequence))
  }

  fileprivate var gap: (ClosedRange<UInt64>, restarted: Bool)? {
    if case .gap(let range, let restarted) = self { (range, restarted) } else { nil }
  }

  fileprivate var isQuiet: Bool { if case .quiet = self { true } else { false } }
  fileprivate var opensAfter: UInt64? { if case .open(let after) = self { after } else { nil } }
}

@Suite("A viewer of the event stream")
struct EventViewerTests {
  @Test("a viewer begins with the next event, and gets each event once, in order, with a rising number")
  func order() throws {
    var watched = Watched()
    try watched.push()
    var viewer = EventViewer(ViewerFilter(), after: nil)
    let before = watched.readers.logs.end.sequence
    #expect(watched.next(&viewer).compactMap(\.opensAfter) == [before])
    try watched.push()
    try watched.order(.unlock)
    watched.now += Watched.second
    let found = watched.next(&viewer).compactMap(\.sighting)
    #expect(found.map(\.sequence) == Array(before + 1...watched.readers.logs.end.sequence))
    #expect(found.first?.event.kind == .push && found.last?.event.kind == .phone)
    #expect(watched.next(&viewer).isEmpty)
  }

  @Test("every number leads to the events after it, whatever the order of pushes and phone events")
  func places() throws {
    var watched = Watched()
    for round in 0..<12 {
      try watched.push(round % 3, on: UInt32(round % 4))
      try watched.order(round.isMultiple(of: 2) ? .unlock : .lock)
    }
    let logs = watched.readers.logs
    var place = EventPlace(pushes: 0, lines: 0)
    while let event = logs.event(after: place) {
      #expect(logs.place(after: place.sequence) == place)
      event.pass(&place)
    }
    #expect(place == logs.end)
  }

  @Test("a viewer gets at most 20 messages in any second, at most 5 of them a count with the last 20 events")
  func coalesces() throws {
    var watched = Watched()
    var viewer = EventViewer(ViewerFilter(), after: 0)
    #expect(watched.next(&viewer).count == 1)
    var messages = 0
    var counted: UInt64 = 0
    var crowds = 0
    // Twenty rounds of a twentieth of a second.
    for _ in 0..<20 {
      try watched.push(30)
      watched.now += Watched.second / 20
      for message in watched.next(&viewer) {
        messages += 1
        if let many = message.many {
          counted += many.count
          crowds += 1
          #expect(many.last.count == 20 && many.last.last == many.upTo)
        } else {
          counted += 1
        }
      }
    }
    #expect(messages <= 20 && crowds <= 5)
    watched.now += Watched.second
    counted += watched.next(&viewer).reduce(0) { $0 + ($1.many?.count ?? 1) }
    #expect(counted == watched.readers.logs.end.sequence)
  }

  @Test("a burst of twenty is sent event by event, of twenty-one in one message")
  func burst() throws {
    var filter = ViewerFilter()
    filter.kinds = [.push]
    var watched = Watched()
    var viewer = EventViewer(filter, after: nil)
    _ = watched.next(&viewer)
    watched.now += Watched.second
    try watched.push(20)
    #expect(watched.next(&viewer).compactMap(\.sighting).count == 20)
    // Nothing is lost while no message may be sent.
    try watched.push(21)
    #expect(watched.next(&viewer).isEmpty)
    watched.now += Watched.second
    let many = watched.next(&viewer).compactMap(\.many)
    #expect(many.map(\.count) == [21] && many.map(\.pushes) == [21])
  }

  @Test("a viewer behind the ledger gets a gap, and continues with the oldest event that is kept")
  func gap() throws {
    var watched = Watched(pushLog: 5)
    try watched.push(2)
    var viewer = EventViewer(ViewerFilter(), after: 1)
    try watched.push(30)
    let messages = watched.next(&viewer)
    let kept = watched.readers.logs.kept.sequence
    #expect(messages.compactMap(\.opensAfter) == [1])
    #expect(messages.compactMap(\.gap).map(\.0) == [2...kept])
    #expect(messages.compactMap(\.gap).map(\.restarted) == [false])
    watched.now += Watched.second
    let rest = messages.compactMap(\.sighting) + watched.next(&viewer).compactMap(\.sighting)
    #expect(rest.map(\.sequence) == Array(kept + 1...watched.readers.logs.end.sequence))
  }

  @Test("a viewer whose last event number is in the future watched another run, so it gets everything that is kept")
  func restarted() throws {
    var watched = Watched()
    try watched.push(3)
    var viewer = EventViewer(ViewerFilter(), after: 1_000_000)
    let messages = watched.next(&viewer)
    #expect(messages.compactMap(\.gap).map(\.restarted) == [true])
    #expect(UInt64(messages.compactMap(\.sighting).count) == watched.readers.logs.end.sequence)
  }

  @Test("a viewer gets a comment after 15 seconds without a message, and not before")
  func quiet() throws {
    var watched = Watched()
    var viewer = EventViewer(ViewerFilter(), after: nil)
    _ = watched.next(&viewer)
    watched.now += 15 * Watched.second - 1
    #expect(watched.next(&viewer).isEmpty)
    watched.now += 1
    #expect(watched.next(&viewer).map(\.isQuiet) == [true])
    #expect(watched.next(&viewer).isEmpty)
  }

  @Test("a filter selects by kind, by name of a phone's event, by device, app and fate")
  func filters() throws {
    func seen(_ said: Filter = Filter(), _ change: (inout ViewerFilter) -> Void) throws -> [String] {
      var watched = Watched()
      try watched.push(2, on: 1)
      try watched.push(1, on: 2)
      try watched.order(.unlock, on: 1)
      var filter = ViewerFilter(said, apps: Stage.profiles.map(\.bundleID))
      change(&filter)
      var viewer = EventViewer(filter, after: 0)
      return watched.next(&viewer).compactMap(\.sighting).map { sighting in
        switch sighting.event {
        case .push(let record): "push to \(record.address?.device.text ?? "")"
        case .line(let line):
          if case .happened(let event) = line.entry { "\(event.name) on \(line.device?.text ?? "")" } else { "other" }
        }
      }
    }
    #expect(try seen { $0.kinds = [.push] } == ["push to d1", "push to d1", "push to d2"])
    #expect(
      try seen {
        $0.kinds = []
        $0.names = ["unlocked"]
      } == ["unlocked on d1"])
    func said(_ change: (inout Filter) -> Void) -> Filter {
      var filter = Filter()
      change(&filter)
      return filter
    }
    #expect(try seen(said { $0.devices = [DeviceID(2)] }) { $0.kinds = [.push] } == ["push to d2"])
    #expect(try seen(said { $0.app = "com.example.none" }) { $0.kinds = [.push] } == [])
    #expect(try seen(said { $0.app = Stage.profiles[0].bundleID }) { $0.kinds = [.push] }.count == 3)
    #expect(try seen(said { $0.fate = DeliveryStatus.refused.words }) { _ in } == [])
    #expect(try seen(said { $0.fate = DeliveryStatus.delivered.words }) { $0.kinds = [.push] }.count == 3)
  }

  @Test("an answer that is sent later is an event of its own, with the device and app of its push")
  func answered() throws {
    var watched = Watched()
    try watched.push()
    let push = watched.readers.logs.pushLog.total
    watched.readers.logs.read([.answerSent(push: push, .nothing(.connectionEnded), at: watched.stage.now.world)])
    var said = Filter()
    said.app = Stage.profiles[0].bundleID
    said.devices = [DeviceID(0)]
    var filter = ViewerFilter(said, apps: Stage.profiles.map(\.bundleID))
    filter.kinds = [.answer]
    var viewer = EventViewer(filter, after: 0)
    let found = watched.next(&viewer).compactMap(\.sighting)
    #expect(found.map(\.sequence) == [watched.readers.logs.end.sequence])
    guard case .line(let line)? = found.first?.event, case .answered(let number, let sent) = line.entry else {
      Issue.record("no answer")
      return
    }
    #expect(number == push && sent == .nothing(.connectionEnded))
    // Nothing can be sent after that, so it is no event.
    watched.readers.logs.read([.answerSent(push: push, .answer(status: 200), at: watched.stage.now.world)])
    #expect(watched.readers.logs.end.sequence == found[0].sequence)
  }
}
