import APNs
import Devices
import Testing
import Timeline

@Suite("The tokens of a slot")
struct TokenStateTests {
  private func status(
    _ state: TokenState, _ generation: UInt32, given: Bool = false, at second: Int64 = 0
  ) -> TokenState.Status {
    let address = Address(device: DeviceID(0), app: 0, slot: .app, generation: generation, isGiven: given)
    return state.status(of: address, at: Instant(seconds: second))
  }

  @Test("A slot has one token at first, and no other")
  func fresh() {
    let state = TokenState()
    #expect(status(state, 0) == .current && status(state, 1) == .neverIssued)
    #expect(status(state, 0, given: true) == .neverIssued)
  }

  @Test("After a rotation the old token is valid until its notice, to the nanosecond")
  func rotated() {
    var state = TokenState()
    state.rotate(notice: Instant(seconds: 60))
    #expect(status(state, 1) == .current && state.generation == 1)
    #expect(status(state, 0, at: 0) == .lingering(waitsForPush: false))
    #expect(status(state, 0, at: 59) == .lingering(waitsForPush: false))
    #expect(status(state, 0, at: 60) == .unregistered(since: Instant(seconds: 60)))
    #expect(status(state, 0, at: 9999) == .unregistered(since: Instant(seconds: 60)))
  }

  @Test("Without a notice the old token is valid until a push has reached it")
  func waitsForPush() {
    var state = TokenState()
    state.rotate(notice: nil)
    #expect(status(state, 0, at: 1_000_000) == .lingering(waitsForPush: true))
    state.noticeLater(0, at: Instant(seconds: 100))
    #expect(status(state, 0, at: 99) == .lingering(waitsForPush: false))
    #expect(status(state, 0, at: 100) == .unregistered(since: Instant(seconds: 100)))
    state.noticeLater(0, at: Instant(seconds: 5))
    #expect(status(state, 0, at: 99) == .lingering(waitsForPush: false))
  }

  @Test("one that has gone stale is answered 200 without end, until another takes its place")
  func stale() {
    var state = TokenState()
    state.goStale()
    #expect(state.isStale && status(state, 0, at: 1_000_000) == .lingering(waitsForPush: false))
    #expect(status(state, 0, given: true) == .neverIssued)
    state.rotate(notice: Instant(seconds: 60))
    #expect(!state.isStale && status(state, 1) == .current && status(state, 0, at: 60) != .current)
    state.goStale()
    state.take()
    #expect(!state.isStale && state.isGiven)
  }

  @Test("a change that APNs has not learnt when the app is back is never reported")
  func forgotten() {
    var state = TokenState()
    state.rotate(notice: Instant(seconds: 10))
    state.rotate(notice: Instant(seconds: 100))
    state.rotate(notice: nil)
    state.forget(at: Instant(seconds: 50))
    #expect(status(state, 0, at: 60) == .unregistered(since: Instant(seconds: 10)))
    #expect(status(state, 1, at: 1_000_000) == .lingering(waitsForPush: false))
    #expect(status(state, 2, at: 1_000_000) == .lingering(waitsForPush: false))
    state.noticeLater(2, at: Instant(seconds: 1))
    #expect(status(state, 2, at: 1_000_000) == .lingering(waitsForPush: false))
  }

  @Test("a given token replaces one that was never issued")
  func given() {
    var state = TokenState()
    state.take()
    #expect(state.isGiven && state.generation == 1)
    #expect(status(state, 0) == .neverIssued && status(state, 1) == .neverIssued)
    #expect(status(state, 1, given: true) == .current)
    state.rotate(notice: nil)
    #expect(!state.isGiven && status(state, 2) == .current)
    #expect(status(state, 1, given: true) == .lingering(waitsForPush: true))
    #expect(status(state, 1) == .neverIssued)
  }

  @Test("forgotten tokens are answered like dead ones, never with a time in the future")
  func longForgotten() {
    var state = TokenState()
    for _ in 0..<40 { state.rotate(notice: Instant(seconds: 1_000_000)) }
    for generation: UInt32 in 0..<40 {
      switch status(state, generation, at: 10) {
      case .unregistered(let since): #expect(since <= Instant(seconds: 10), "generation \(generation)")
      case .lingering: #expect(generation >= 20, "generation \(generation)")
      case .current, .neverIssued: Issue.record("generation \(generation)")
      }
    }
    var given = TokenState()
    given.take()
    for _ in 0..<40 { given.rotate(notice: Instant(seconds: 5)) }
    if case .unregistered(let since) = status(given, 0, at: 10) { #expect(since >= Instant(seconds: 5)) }
  }
}
