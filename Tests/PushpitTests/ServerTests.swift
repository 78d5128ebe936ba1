import APNs
import Commands
import Configuration
import Foundation
import Grammar
import Pushpit
import TestSupport
import Testing

@Suite("A server in this process", .serialized)
struct ServerTests {
  /// Starts a server on free ports in a thread of its own, shows it to `body`, and stops it.
  private func serving(_ folder: TemporaryFolder, _ body: @Sendable (ReadyLine) throws -> Void) async throws {
    var settings = Settings()
    for (key, value) in [
      ("state", folder.path), ("listen.sandbox", "0"), ("listen.production", "0"), ("listen.admin", "0"),
      ("listen.channels", "0"), ("listen.productionChannels", "0"),
      ("fleet.devices", "3"), ("wire.loops", "1"),
    ] {
      try Setting.named(key)?.set(value, in: &settings, place: "test")
    }
    let (lines, said) = AsyncThrowingStream.makeStream(of: (ReadyLine, StopFlag).self)
    let (ends, ended) = AsyncStream.makeStream(of: Void.self)
    let prepared = settings
    let thread = Thread {
      do {
        let server = try Server(prepared, log: { _ in })
        said.yield((server.ready, server.stopper))
        server.run()
      } catch {
        said.finish(throwing: error)
      }
      ended.finish()
    }
    thread.start()
    var iterator = lines.makeAsyncIterator()
    let (ready, stopper) = try #require(try await iterator.next())
    let outcome = Result { try body(ready) }
    stopper.stop()
    for await _ in ends {}
    try outcome.get()
  }

  @Test("answers a push on port 0, and its record shows its fate")
  func answers() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    try await serving(folder) { ready in
      let target = RunningServer(StateFolder(path), gateway: "https://\(ready.sandbox)", admin: ready.admin)
      let order = SendRequest(to: .device("d1"), payload: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
      let outcome = try order.send(to: target)
      #expect(outcome.status == 200 && outcome.body.isEmpty && outcome.id.count == 36)
      #expect(outcome.story?.isEmpty == false)
      #expect(Diagnosis(target).isGood)
    }
  }

  @Test("keys are private, and the next start finds those of the first")
  func stateIsKept() async throws {
    let folder = try TemporaryFolder()
    let first = LockedBox<[String]>([])
    for _ in 0..<2 {
      try await serving(folder) { ready in first.change { $0.append(ready.keys.map(\.keyID).joined()) } }
    }
    #expect(first.value.count == 2 && first.value[0] == first.value[1] && first.value[0].count == 10)
    for secret in ["tls-key.pem", "keys.json", "AuthKey_\(first.value[0]).p8"] {
      #expect(try folder.mode(of: secret) == 0o600, "\(secret)")
    }
    #expect(try folder.mode(of: "ca.pem") == 0o644)
  }

  @Test("a topic of no app in the fleet is refused by name")
  func unknownTopic() throws {
    var settings = Settings()
    try SettingsFile.apply(
      "keys:\n  - {keyId: A, p8: a.p8, topics: [com.unknown]}\n", named: "p.yaml", to: &settings)
    let problem = #expect(throws: InputProblem.self) { try Server(settings, log: { _ in }) }
    #expect(problem?.place == "p.yaml:2" && problem?.sentence.contains("com.unknown") == true)
  }

  @Test("an app without broadcasts that is not in the fleet is refused by name")
  func unknownAppWithoutBroadcasts() throws {
    var settings = Settings()
    try SettingsFile.apply("rules: {broadcastDisabled: com.unknown}\n", named: "p.yaml", to: &settings)
    let problem = #expect(throws: InputProblem.self) { try Server(settings, log: { _ in }) }
    #expect(problem?.sentence.contains("com.unknown") == true)
  }
}

/// A value that several threads may change.
final class LockedBox<Value: Sendable>: @unchecked Sendable {
  // Every access goes through the lock.
  private let lock = NSLock()
  private var held: Value

  init(_ value: Value) { held = value }

  var value: Value { lock.withLock { held } }
  func change(_ body: (inout Value) -> Void) { lock.withLock { body(&held) } }
}
