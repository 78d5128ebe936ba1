import Synchronization
import Testing

/// The server and the session of a test with the trait, and the expectations that are evaluated after it.
final class TestScope: Sendable {
  @TaskLocal static var current: TestScope?

  private struct State {
    var opening: Task<Pushpit.Session, any Error>?
    var session: Pushpit.Session?
    /// True once the faults of the session are set.
    var isReady = false
    /// True if an issue was recorded.
    var hasFailed = false
    /// True if an issue contains the stories of the pushes.
    var isExplained = false
  }

  private let trait: PushpitTrait
  private let faults: [PushpitFaultTrait]
  private let expectations: [PushpitExpectationTrait]
  /// True if the session is opened before the test asks for it.
  private let opensAtOnce: Bool
  private let state = Mutex(State())

  init(
    _ trait: PushpitTrait, faults: [PushpitFaultTrait] = [], expectations: [PushpitExpectationTrait] = [],
    opensAtOnce: Bool = false
  ) {
    self.trait = trait
    self.opensAtOnce = opensAtOnce || !faults.isEmpty || !expectations.isEmpty
    self.faults = faults
    self.expectations = expectations
  }

  /// The session, if it was opened.
  var opened: Pushpit.Session? { state.withLock { $0.session } }

  /// True once the faults of the session are set: a failure before is not the doing of the test.
  var isReady: Bool { state.withLock { $0.isReady } }

  func server() async throws -> Pushpit { try await SharedServers.server(trait.options) }

  /// The test's session. It is opened when the test first asks for it, or before a test with faults or expectations.
  func session() async throws -> Pushpit.Session {
    let task = state.withLock { state -> Task<Pushpit.Session, any Error> in
      if let task = state.opening { return task }
      let task = Task { try await self.open() }
      state.opening = task
      return task
    }
    return try await task.value
  }

  private func open() async throws -> Pushpit.Session {
    let server = try await server()
    var refusal = PushpitError(.noFreePhone, "No phone is free.")
    let opened = try await server.seats.take {
      do {
        return try await server.session(trait.wishes + [.expect(expectations.map(\.order))])
      } catch let error as PushpitError where error.kind == .noFreePhone {
        refusal = error
        return nil
      }
    }
    guard let session = opened else { throw refusal }
    state.withLock { $0.session = session }
    for fault in faults { _ = try await session.set(fault.order, at: fault.sourceLocation) }
    state.withLock { $0.isReady = true }
    return session
  }

  /// Opens the session of a test with faults or expectations, or of a hunted one. A failure points at the trait that is
  /// not valid, or at the test.
  private func prepare(_ test: Test) async throws {
    guard opensAtOnce else { return }
    do {
      _ = try await session()
    } catch var error as PushpitError {
      let place = error.path?.firstMatch(of: /^expect\[(\d+)\]/).flatMap { Int($0.1) }
      if let place, expectations.indices.contains(place) {
        error.sourceLocation = expectations[place].sourceLocation
      } else if !faults.contains(where: { $0.sourceLocation == error.sourceLocation }) {
        error.sourceLocation = test.sourceLocation
      }
      throw error
    }
  }

  /// Performs the test, then judges and closes its session.
  func run(
    _ test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let handling = IssueHandlingTrait.compactMapIssues { [self] in explained($0) }
    var failure: (any Error)?
    do {
      try await handling.provideScope(for: test, testCase: testCase) { [self] in
        try await Self.$current.withValue(self) {
          do {
            try await prepare(test)
            try await function()
          } catch {
            try told(error, of: test)
          }
        }
        try await judge(test)
      }
    } catch {
      failure = error
    }
    await end()
    if let failure { throw failure }
  }

  /// The first issue of the test gets the stories of its pushes. Swift Testing calls this synchronously.
  private func explained(_ issue: Issue) -> Issue? {
    #if compiler(>=6.3)
      guard issue.isFailure else { return issue }
    #endif
    let session = state.withLock { state -> Pushpit.Session? in
      state.hasFailed = true
      guard !state.isExplained, let session = state.session else { return nil }
      state.isExplained = true
      return session
    }
    guard let session else { return issue }
    var issue = issue
    issue.comments.append(Comment(rawValue: session.account()))
    return issue
  }

  /// Swift Testing records a thrown error only when nothing of the test is left to show, and at the test's line. So it
  /// is recorded here, at the line of the call that has failed.
  private func told(_ error: any Error, of test: Test) throws {
    let isRecorded = error is ExpectationFailedError
    let place = (error as? PushpitError)?.sourceLocation
    guard !isRecorded, !Task.isCancelled, !(error is CancellationError),
      place != nil || state.withLock({ $0.session }) != nil
    else { throw error }
    Issue.record(error, sourceLocation: place ?? test.sourceLocation)
  }

  /// The test's own failures explain more than what follows from them.
  private func judge(_ test: Test) async throws {
    let (session, hasFailed) = state.withLock { ($0.session, $0.hasFailed) }
    guard let session, !expectations.isEmpty, !hasFailed else { return }
    let verdict = try await session.close(sourceLocation: test.sourceLocation)
    for (expectation, broken) in zip(expectations, verdict.expectations) {
      guard let broken else { continue }
      Issue.record(Comment(rawValue: broken), sourceLocation: expectation.sourceLocation)
    }
  }

  private func end() async {
    // A session that is still being opened, by a task that the test did not wait for, would be left open.
    guard let opening = state.withLock({ $0.opening }) else { return }
    _ = try? await opening.value
    guard let session = state.withLock({ $0.session }) else { return }
    // If the server has stopped, or the test has closed the session itself, there is nothing to close.
    _ = try? await session.close()
    session.pushpit.seats.release()
  }
}
