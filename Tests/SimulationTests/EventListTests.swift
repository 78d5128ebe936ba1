import APNs
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The list of events")
struct EventListTests {
  private static let now = Now(Instant(seconds: 1))

  private func event(_ number: UInt64) -> WorldEvent { .connectionClosed(ProviderConnectionID(number)) }

  @Test("a list of events keeps their order, with an event before those that it caused")
  func order() {
    var list = EventList()
    list.append(event(1))
    let place = list.count
    list.append(event(3))
    list.insert(event(2), at: place)
    list.insert(event(4), at: list.count)
    var taken = [event(9)]
    list.take(into: &taken)
    #expect(taken == [event(1), event(2), event(3), event(4)] && list.isEmpty && list.count == 0)
  }

  @Test("a list of events records calls only for a tape, each with the index of its first event")
  func calls() {
    var list = EventList()
    list.record(.stepped(1), at: Self.now)
    #expect(list.isEmpty)
    list.recordsCalls = true
    list.record(.closed(ProviderConnectionID(1)), at: Self.now)
    list.append(event(1))
    list.record(.waved, at: Self.now)
    list.append(event(2))
    list.record(.stepped(3), at: Self.now, firstEvent: 1)
    let calls = list.takeCalls()
    #expect(calls.map(\.call) == [.closed(ProviderConnectionID(1)), .waved, .stepped(3)])
    #expect(calls.map(\.firstEvent) == [0, 1, 1])
    let left = list.takeCalls()
    #expect(left.isEmpty && !list.isEmpty)
  }

  @Test("a list of events is searched from a given index on")
  func contains() {
    var list = EventList()
    for number: UInt64 in 1...3 { list.append(event(number)) }
    #expect(list.contains(from: 1) { $0 == event(3) } && !list.contains(from: 1) { $0 == event(1) })
    #expect(!list.contains(from: 3) { _ in true })
  }
}
