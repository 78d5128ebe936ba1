import Foundation
import Testing

@testable import PushpitTesting

@Suite("The line of a failure")
struct LineTests {
  private struct Call: Sendable {
    let line: Int
    let fail: @Sendable (Pushpit.Session, Pushpit.Fault) async throws -> Void

    init(line: Int = #line, _ fail: @escaping @Sendable (Pushpit.Session, Pushpit.Fault) async throws -> Void) {
      self.line = line
      self.fail = fail
    }
  }

  /// Calls that fail without a server.
  private static let calls = [
    Call { session, _ in _ = try await session.state() },
    Call { session, _ in _ = try await session.pushes(.status(200)) },
    Call { session, _ in _ = try await session.calls(.failed(true)) },
    Call { session, _ in _ = try await session.findings() },
    Call { session, _ in _ = try await session.stories() },
    Call { session, _ in try await session.fault(.answer(.shutdown)) },
    Call { session, _ in try await session.withFault(.silence) { _ in } },
    Call { session, _ in try await session.deleteFaults() },
    Call { session, _ in try await session.expect(1) },
    Call { session, _ in try await session.close() },
    Call { session, _ in try await session.forget() },
    Call { session, _ in _ = try await session.phone().state() },
    Call { session, _ in _ = try await session.phone().app() },
    Call { session, _ in _ = try await session.phone().token() },
    Call { session, _ in _ = try await session.phone().screen() },
    Call { session, _ in _ = try await session.phone().log() },
    Call { session, _ in _ = try await session.phone().pushes() },
    Call { session, _ in try await session.phone().do(.lock) },
    Call { session, _ in try await session.phone().send(["aps": [:]]) },
    Call { session, _ in try await session.phone().send("Goal!") },
    Call { session, _ in try await session.phone().send(raw: "Goal!") },
    Call { session, _ in try await session.phone().expect(.badge(1)) },
    Call { session, _ in try await session.phone().clear() },
    Call { session, _ in _ = try await session.pushpit.session() },
    Call { session, _ in try await session.pushpit.withSession { _ in } },
    Call { session, _ in _ = try await session.pushpit.pushes() },
    Call { session, _ in _ = try await session.pushpit.push("1") },
    Call { session, _ in try await session.pushpit.fault(.lose) },
    Call { session, _ in try await session.pushpit.withFault(.abort) { _ in } },
    Call { session, _ in _ = try await session.pushpit.faults() },
    Call { session, _ in try await session.pushpit.deleteFaults() },
    Call { session, _ in _ = try await session.pushpit.clock.state() },
    Call { session, _ in _ = try await session.pushpit.clock.now() },
    Call { session, _ in try await session.pushpit.clock.advance(by: .seconds(1)) },
    Call { session, _ in try await session.pushpit.clock.stop() },
    Call { session, _ in try await session.pushpit.clock.run() },
    Call { _, fault in _ = try await fault.state() },
    Call { _, fault in _ = try await fault.struck() },
    Call { _, fault in try await fault.delete() },
    Call { session, _ in _ = try await Pushpit.connect(session.pushpit.url) },
    Call { _, _ in _ = try await Pushpit.start(fleet: 0) },
    Call { _, _ in _ = try await Pushpit.phone() },
    Call { _, _ in _ = try await Pushpit.session() },
    Call { _, _ in _ = try await Pushpit.server() },
    Call { _, _ in try await Pushpit.waitFor(within: .zero) { false } },
  ]

  @Test("a failure of each call points at the line of the test that made the call")
  func lines() async throws {
    let server = try await Pushpit.start(fleet: 1)
    let session = try await server.session()
    let fault = try await session.fault(.silence)
    await server.stop()
    for call in Self.calls {
      let error = await #expect(throws: PushpitError.self) { try await call.fail(session, fault) }
      #expect(error?.sourceLocation?.line == call.line && error?.sourceLocation?.fileID == #fileID)
    }
  }

  @Test("a phone or a key that is not there is a failure at the line of the test")
  func values() async throws {
    let server = try await Pushpit.start(fleet: 1)
    let session = try await server.session(.everything)
    let keyless = Pushpit(["keys": []], api: server.api, server: nil, directory: nil)
    let phone = #expect(throws: PushpitError.self) { try session.phone() }
    #expect(phone?.sourceLocation?.line == #line - 1 && phone?.sourceLocation?.fileID == #fileID)
    let key = #expect(throws: PushpitError.self) { try keyless.key() }
    #expect(key?.sourceLocation?.line == #line - 1 && key?.sourceLocation?.fileID == #fileID)
    await server.stop()
  }

  @Test("no public function that may fail is without the line of its caller")
  func all() throws {
    let folder = BehaviorTable.repository.appending(path: "Sources/PushpitTesting")
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    var count = 0
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
      for head in text.matches(of: /public (?:static )?func [^{]*? throws\b/) {
        // Swift Testing calls these of traits.
        guard !head.0.contains("for test: Test") else { continue }
        count += 1
        #expect(head.0.contains("sourceLocation: SourceLocation = #_sourceLocation"), "\(file): \(head.0)")
      }
    }
    #expect(count == Self.calls.count + 2, "each of them is called above")
  }
}
