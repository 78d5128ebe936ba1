import Admin
import Synchronization
import Timeline
import Transport
import WireFormats

/// Calls of the admin API by the server's own process, without a socket. Thread-safe.
///
/// The rules are those of HTTP, with `localhost` as host and the server's user as client, and without a limit on
/// connections.
package final class DirectCalls: Sendable {
  package enum Failure: Error, Sendable {
    case stopped
    case timedOut
  }

  package typealias End = @Sendable (Result<HTTPResponse, Failure>) -> Void

  struct Letter: Sendable {
    let request: AdminRequest
    let reply: PlainReply
  }

  private struct Open: Sendable {
    let client: WaitingClient
    /// By the machine's steady clock.
    let deadline: UInt64
    let end: End
  }

  private struct State: Sendable {
    var open: [UInt64: Open] = [:]
    var begun: UInt64 = 0
    var isWatched = false
    var isOver = false
  }

  /// The time between two looks for calls that are late.
  private static let period: Duration = .seconds(1)

  /// Read by the server, on its own thread.
  let letters = Mailbox<Letter>()
  private let state = Mutex(State())

  /// Begins a call.
  ///
  /// - Parameter end: called once, from any thread, unless the client leaves before.
  package func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End) {
    let request = AdminRequest(
      method: call.method, target: call.target, headers: [("host", "localhost")] + call.headers, body: call.body ?? [],
      isOwners: { true })
    let head = request.headers.reduce(call.method.utf8.count + call.target.utf8.count) { count, field in
      count + field.name.utf8.count + field.value.utf8.count
    }
    if let flaw = PlainFlaw(headCount: head, bodyCount: request.body.count) {
      return end(.success(AdminHandler.refuse(flaw)))
    }
    let deadline = SystemClock.steadyNanoseconds + UInt64(clamping: call.timeout.wholeNanoseconds)
    let (number, isWatched) = state.withLock { state -> (UInt64?, Bool) in
      guard !state.isOver else { return (nil, true) }
      defer { state.isWatched = true }
      state.begun += 1
      state.open[state.begun] = Open(client: client, deadline: deadline, end: end)
      return (state.begun, state.isWatched)
    }
    guard let number else { return end(.failure(.stopped)) }
    let reply = PlainReply(to: client) { [self] response, feed in
      finish(number, with: feed == nil ? response : AdminHandler.response(.needsHTTP))
    }
    letters.post(Letter(request: request, reply: reply))
    if !isWatched { watch() }
  }

  private func finish(_ number: UInt64, with response: HTTPResponse) {
    state.withLock { $0.open.removeValue(forKey: number) }?.end(.success(response))
  }

  /// Ends all calls, and accepts no more.
  func close() {
    fail(.stopped) { state in
      state.isOver = true
      return Array(state.open.keys)
    }
  }

  /// Ends late calls while any is open. Not on the server's loop, which may be what does not answer.
  private func watch() {
    Task {
      repeat { try? await Task.sleep(for: Self.period) } while endLate()
    }
  }

  /// - Returns: whether calls are left.
  private func endLate() -> Bool {
    let now = SystemClock.steadyNanoseconds
    fail(.timedOut) { state in state.open.filter { $1.deadline <= now || $1.client.isGone }.map(\.key) }
    return state.withLock { state in
      state.isWatched = !state.open.isEmpty
      return state.isWatched
    }
  }

  /// Ends some calls, in the order in which they began.
  private func fail(_ failure: Failure, _ choose: (inout State) -> [UInt64]) {
    let ended = state.withLock { state in choose(&state).sorted().compactMap { state.open.removeValue(forKey: $0) } }
    for call in ended where !call.client.isGone {
      call.client.leave()
      call.end(.failure(failure))
    }
  }
}
