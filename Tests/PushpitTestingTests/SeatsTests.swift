import Synchronization
import Testing

@testable import PushpitTesting

@Suite("Tests that wait for a phone")
struct SeatsTests {
  /// Phones of two kinds.
  private final class Phones: Sendable {
    private let free: Mutex<[String: Int]>

    init(_ free: [String: Int]) { self.free = Mutex(free) }

    func take(_ kind: String) -> String? {
      free.withLock { free in
        guard let left = free[kind], left > 0 else { return nil }
        free[kind] = left - 1
        return kind
      }
    }

    func giveBack(_ kind: String) { free.withLock { $0[kind, default: 0] += 1 } }
  }

  @Test("tests that wait for a phone take turns: fifty tests with three phones all get one")
  func turns() async throws {
    let (seats, phones) = (Seats(3), Phones(["any": 3]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          let phone = try await seats.take { phones.take("any") }
          #expect(phone != nil)
          await Task.yield()
          phones.giveBack("any")
          seats.release()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("tests wait for a phone of their kind while another test has one")
  func kinds() async throws {
    let (seats, phones) = (Seats(10), Phones(["18": 1, "26": 9]))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<30 {
        let kind = number.isMultiple(of: 2) ? "18" : "26"
        group.addTask {
          let phone = try await seats.take { phones.take(kind) }
          #expect(phone == kind)
          await Task.yield()
          phones.giveBack(kind)
          seats.release()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(
    "tests wait for a phone that another test is about to have, and get none if it does not", arguments: [true, false])
  func attempts(succeeds: Bool) async throws {
    let (seats, phones) = (Seats(2), Phones(["18": succeeds ? 1 : 0]))
    let (tries, tried) = AsyncStream.makeStream(of: Void.self)
    let (gate, opened) = AsyncStream.makeStream(of: Void.self)
    async let first = seats.take {
      let phone = phones.take("18")
      tried.yield()
      for await _ in gate { break }
      return phone
    }
    for await _ in tries { break }
    async let second = seats.take {
      opened.yield()
      return phones.take("18")
    }
    let phone = try await first
    #expect(phone == (succeeds ? "18" : nil))
    if succeeds {
      phones.giveBack("18")
      seats.release()
    }
    #expect(try await second == phone)
  }

  @Test("tests get no phone if no other test has one that it will give back")
  func none() async throws {
    let (seats, phones) = (Seats(1), Phones(["26": 1]))
    #expect(try await seats.take { phones.take("18") } == nil)
    #expect(try await seats.take { phones.take("26") } == "26")
    seats.release()
  }

  @Test("failing tests leave the seat to the next test")
  func failure() async throws {
    let seats = Seats(1)
    let failing: () async throws -> Int? = { throw PushpitError(.noServer, "gone") }
    await #expect(throws: PushpitError.self) { try await seats.take(failing) }
    #expect(try await seats.take { 1 } == 1)
  }
}
