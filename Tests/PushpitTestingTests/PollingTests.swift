import Synchronization
import Testing

@testable import PushpitTesting

@Suite("Waiting for what a backend does")
struct PollingTests {
  /// Time that passes only where a test says so.
  private final class SlowClock: Clock {
    struct Instant: InstantProtocol {
      var time = Duration.zero

      func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
      func duration(to other: Instant) -> Duration { other.time - time }
      static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
    }

    let minimumResolution = Duration.nanoseconds(1)
    private let time = Mutex(Instant())

    var now: Instant { time.withLock { $0 } }
    func sleep(until deadline: Instant, tolerance: Duration?) { time.withLock { $0 = max($0, deadline) } }
    func pass(_ duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
  }

  @Test("polling ends with a look that begins when the time is over, however long the one before it has taken")
  func lastLook() async throws {
    let clock = SlowClock()
    let looks = Mutex(0)
    let seen = try await Polling.last(.seconds(10), on: clock) {
      clock.pass(.seconds(100))
      return looks.withLock { looks in
        looks += 1
        return looks
      }
    } until: {
      $0 == 2
    }
    #expect(seen == 2)
  }

  @Test("polling does not look again when a look that begins at the end has failed", arguments: [0, 1, 10])
  func noMore(seconds: Int) async throws {
    let clock = SlowClock()
    let looks = Mutex<[SlowClock.Instant]>([])
    _ = try await Polling.last(.seconds(seconds), on: clock) {
      looks.withLock { $0.append(clock.now) }
    } until: { _ in
      false
    }
    let times = looks.withLock { $0.map(\.time) }
    #expect(times.first == .zero && times.last == .seconds(seconds) && times == times.sorted())
  }
}
