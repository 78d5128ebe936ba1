import Synchronization

/// Lets only as many tests with the trait have a session as there are phones. Swift Testing starts all tests at once;
/// the others wait for their turn.
final class Seats: Sendable {
  private struct State {
    var free: Int
    /// Tests that wait for a seat, in the order of arrival.
    var queue: [CheckedContinuation<Void, Never>] = []
    /// Sessions of tests that are open, or that a test tries to open.
    var open = 0
    /// The number of sessions that have been closed so far.
    var closed = 0
    /// Tests that have a seat, but wait for a phone of their kind.
    var choosy: [CheckedContinuation<Void, Never>] = []
  }

  /// Maximum number of seats. More would be no faster, and the admin API has at most 128 connections.
  private static let most = 64

  private let state: Mutex<State>

  init(_ phones: Int) { state = Mutex(State(free: min(phones, Self.most))) }

  /// Opens a session, when there is a seat and a phone. Call `release` when it is closed.
  ///
  /// - Parameter attempt: nil if no phone is free.
  /// - Returns: nil if no phone is free, and no other test will free one.
  func take<Value: Sendable>(_ attempt: () async throws -> Value?) async throws -> Value? {
    await sit()
    do {
      while true {
        let closed = state.withLock { state in
          state.open += 1
          return state.closed
        }
        if let value = try await attempt() { return value }
        giveUp()
        guard await another(after: closed) else { break }
      }
    } catch {
      giveUp()
      leave()
      throw error
    }
    leave()
    return nil
  }

  /// An attempt got no phone. Tests that only waited for this one try again.
  private func giveUp() {
    let choosy = state.withLock { state in
      state.open -= 1
      guard state.open == 0 else { return [CheckedContinuation<Void, Never>]() }
      defer { state.choosy = [] }
      return state.choosy
    }
    for one in choosy { one.resume() }
  }

  /// A session was closed.
  func release() {
    let choosy = state.withLock { state in
      state.open -= 1
      state.closed += 1
      defer { state.choosy = [] }
      return state.choosy
    }
    for one in choosy { one.resume() }
    leave()
  }

  private func sit() async {
    await withCheckedContinuation { turn in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.queue.append(turn)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { turn.resume() }
    }
  }

  /// Gives the seat to the next in the queue.
  private func leave() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.queue.isEmpty else {
        state.free += 1
        return nil
      }
      return state.queue.removeFirst()
    }
    next?.resume()
  }

  /// Waits until a session is closed.
  ///
  /// - Parameter closed: the number closed before the last attempt.
  /// - Returns: false if none is open.
  private func another(after closed: Int) async -> Bool {
    let hope = Mutex(true)
    await withCheckedContinuation { waiting in
      let isOver = state.withLock { state in
        if state.closed == closed, state.open > 0 {
          state.choosy.append(waiting)
          return false
        }
        hope.withLock { $0 = state.closed != closed }
        return true
      }
      if isOver { waiting.resume() }
    }
    return hope.withLock { $0 }
  }
}
