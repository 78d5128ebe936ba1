import Synchronization
import Testing

@testable import PushpitTesting

/// Tests of the issues that tests with the trait record when they fail. Each failure is collected, so that none of
/// these tests fails by it.
@Suite("A failing test with the trait")
struct FailingTests {
  private final class Collection: Sendable {
    private let found = Mutex<[Issue]>([])

    var issues: [Issue] { found.withLock { $0 } }

    func add(_ issue: Issue) { found.withLock { $0.append(issue) } }
  }

  private struct OwnError: Error {}

  /// The issues of a test whose phone is the only one of a fleet.
  private func recorded(
    fault: PushpitFaultTrait? = nil, expecting expectation: PushpitExpectationTrait? = nil,
    _ body: @Sendable () async throws -> Void
  ) async throws -> [Issue] {
    let test = try #require(Test.current)
    let scope = TestScope(
      .pushpit(fleet: 1), faults: fault.map { [$0] } ?? [], expectations: expectation.map { [$0] } ?? [])
    let collection = Collection()
    let collecting = IssueHandlingTrait.compactMapIssues {
      collection.add($0)
      return nil
    }
    try await collecting.provideScope(for: test, testCase: Test.Case.current) {
      try await scope.run(test, testCase: Test.Case.current, performing: body)
    }
    return collection.issues
  }

  private func text(_ issue: Issue?) -> String { issue?.comments.map(\.rawValue).joined(separator: "\n") ?? "" }

  @Test("a failing test shows the stories of its pushes with its first issue")
  func stories() async throws {
    let issues = try await recorded {
      try await Pushpit.phone().send("Goal!")
      Issue.record("own")
      Issue.record("another")
    }
    #expect(issues.count == 2)
    #expect(text(issues.first).contains("own\nLast pushes of session"))
    #expect(text(issues.first).contains("200 to d0"))
    #expect(text(issues.first).contains("apsd: the phone received the push"))
    #expect(text(issues.last) == "another")
  }

  @Test("a failing test reports that nothing was pushed, and which connections had trouble")
  func nothing() async throws {
    let issues = try await recorded {
      _ = try await Pushpit.phone()
      Issue.record("own")
    }
    #expect(text(issues.first).contains("Nothing was pushed."))
  }

  @Test("a failing test shows the stories of its pushes with an error that it throws")
  func thrown() async throws {
    let issues = try await recorded {
      try await Pushpit.phone().send("Goal!")
      throw OwnError()
    }
    #expect(issues.count == 1 && issues.first?.error is OwnError)
    #expect(text(issues.first).contains("200 to d0"))
  }

  @Test("a call that fails is recorded at its line, not at the first line of its test")
  func line() async throws {
    let lines = Mutex<[Int]>([])
    let issues = try await recorded {
      lines.withLock { $0 = [#line + 1] }
      try await Pushpit.phone().expect(.notifications(1), within: .zero)
    }
    #expect(issues.map(\.sourceLocation?.line) == lines.withLock { $0 })
    #expect(issues.first?.sourceLocation?.fileID == #fileID)
  }

  @Test("a broken expectation is recorded at the trait, with what was found")
  func broken() async throws {
    let here = #_sourceLocation
    let issues = try await recorded(expecting: .expect(.pushes(), count: 2, sourceLocation: here)) {
      try await Pushpit.phone().send("Goal!")
    }
    #expect(issues.count == 1)
    #expect(text(issues.first).contains("wanted   2 pushes") && text(issues.first).contains("found    "))
    #expect(text(issues.first).contains("200 to d0"))
    #expect(issues.first?.sourceLocation == here)
  }

  @Test("a test that never asked for its phone is judged, too")
  func unasked() async throws {
    let issues = try await recorded(expecting: .expect(.pushes(), count: 1)) {}
    #expect(issues.count == 1)
    #expect(text(issues.first).contains("Nothing was pushed."))
  }

  @Test("a failing test records only its own failure if an expectation is not met, either")
  func ownFailure() async throws {
    let own = try await recorded(expecting: .expect(.pushes(), count: 1)) { Issue.record("own") }
    #expect(own.count == 1 && text(own.first).hasPrefix("own"))
    let thrown = try await recorded(expecting: .expect(.pushes(), count: 1)) { throw OwnError() }
    #expect(thrown.count == 1 && thrown.first?.error is OwnError)
  }

  @Test("a failing test leaves no fault and no session behind, and the next test gets its phone with an empty screen")
  func deleted() async throws {
    let failing = try await recorded(fault: .fault(.answer(.serviceUnavailable))) {
      let phone = try await Pushpit.phone()
      #expect(try await phone.send("Goal!").status == 503)
      try await Pushpit.session().deleteFaults()
      try await phone.send("Goal!")
      try await Pushpit.session().fault(.answer(.serviceUnavailable))
      throw OwnError()
    }
    #expect(failing.count == 1)
    let next = try await recorded {
      let phone = try await Pushpit.phone()
      #expect(try await phone.screen().notifications.isEmpty)
      #expect(try await phone.send("Goal!").status == 200)
    }
    #expect(next.isEmpty)
    #expect(try await SharedServers.server(ServerOptions(fleet: 1)).faults().isEmpty)
  }

  @Test("a test records only the error if a fault or an expectation of its traits is not valid")
  func invalid() async throws {
    let here = #_sourceLocation
    let fault = try await recorded(fault: .fault(.answer(.tooManyRequests), odds: 2, sourceLocation: here)) {
      Issue.record("never")
    }
    #expect(fault.count == 1 && fault.first?.sourceLocation == here)
    #expect((fault.first?.error as? PushpitError)?.field == "odds")
    let expectation = try await recorded(expecting: .expect(.pushes(), ordered: [.locked], sourceLocation: here)) {
      Issue.record("never")
    }
    #expect(expectation.count == 1 && expectation.first?.sourceLocation == here)
    #expect((expectation.first?.error as? PushpitError)?.path?.hasPrefix("expect[0]") == true)
    #expect(try await recorded { try await Pushpit.phone().send("Goal!") }.isEmpty, "the phone is free again")
  }

  @Test("a test whose session somebody else has closed records only the error, and no verdict about a part")
  func over() async throws {
    let error = await #expect(throws: PushpitError.self) {
      _ = try await recorded(expecting: .expect(.pushes(), count: 1)) {
        let session = try await Pushpit.session()
        try await session.pushpit.api.post("/v1/sessions/\(AdminClient.part(session.name))/close")
      }
    }
    #expect(error?.kind == .sessionOver)
    #expect(error?.sentence.contains("is closed, and not by its test: somebody else has closed it") == true)
  }

  @Test("a failing test reports that its server has stopped")
  func stopped() async throws {
    let server = try await Pushpit.start(fleet: 1)
    let session = try await server.session()
    await server.stop()
    #expect(session.account() == "The server at \(server.url) was stopped.")
  }
}
