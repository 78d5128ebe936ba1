import Foundation
import Synchronization
import Testing

@testable import PushpitTesting

@Suite("A test with the trait of hunts", .serialized)
struct HuntTests {
  /// Pushes in place of a backend, until APNs has taken it.
  private static func push(attempts: Int) async throws {
    let phone = try await Pushpit.phone()
    for _ in 0..<attempts {
      do {
        if try await phone.send("Goal!", .collapseID("goal")).sent["status"].int == 200 { return }
      } catch let error as PushpitError where error.kind == .send {
      }
    }
  }

  /// The issues of a hunt with a test of that body.
  private func hunted(
    seconds: Double = 60, accept: [String] = [], _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [String] {
    let test = try #require(Test.current)
    let trait = PushpitTrait.pushpit(fleet: 30)
    let issues = Mutex<[String]>([])
    let collecting = IssueHandlingTrait.compactMapIssues { issue in
      issues.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
      return nil
    }
    let order = PushpitHuntTrait.hunt(seconds: seconds, seed: 1, accept: accept, variants: 12)
    try await collecting.provideScope(for: test, testCase: Test.Case.current) {
      var hunt = try TestHunt(order, test, testCase: Test.Case.current) { faults in
        TestScope(
          trait,
          faults: faults.map {
            PushpitFaultTrait(order: Pushpit.FaultOrder(json: $0), sourceLocation: test.sourceLocation)
          }, opensAtOnce: true)
      }
      try await hunt.run(on: try await SharedServers.server(trait.options), performing: body)
    }
    return issues.withLock { $0 }
  }

  private static func shown() async throws {
    try await Pushpit.phone().expect(.notifications(1), within: .seconds(1))
  }

  @Test(
    "a test whose backend tries again passes", .pushpit(fleet: 30),
    .hunt(seconds: 30, seed: 1, variants: 30))
  func right() async throws {
    try await Self.push(attempts: 9)
    try await Self.shown()
  }

  @Test("a test whose backend tries once fails with one fault as a trait, which is kept until it passes")
  func wrong() async throws {
    let issues = try await hunted {
      try await Self.push(attempts: 1)
      try await Self.shown()
    }
    let text = try #require(issues.first)
    #expect(issues.count == 1)
    #expect(text.split(separator: "Last pushes of session").count == 2, "the story is told once: \(text)")
    #expect(text.contains("The smallest that fails, 5 of 5 times:"), "\(text)")
    #expect(text.contains(/\n    \.fault\(\..*, limit: 1\)\n/), "\(text)")
    let path = try #require(text.firstMatch(of: /Kept in (\S+),/)).1
    #expect(FileManager.default.fileExists(atPath: String(path)))
    let passed = try await hunted {
      try await Self.push(attempts: 9)
      try await Self.shown()
    }
    #expect(passed.isEmpty && !FileManager.default.fileExists(atPath: String(path)))
  }

  @Test("a find that cannot be kept is reported as such, and not as kept")
  func unkept() async throws {
    // A folder, so that nobody can write the file.
    let path = try KeptFinds(of: try #require(Test.current), nil).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = try #require(try await hunted { try await Self.pushOnce() }.first)
    #expect(text.contains("What was found could not be kept in \(path): ") && !text.contains("Kept in"), "\(text)")
  }

  private static func pushOnce() async throws {
    try await push(attempts: 1)
    try await Pushpit.phone().expect(.notifications(1), within: .milliseconds(200))
  }

  #if compiler(>=6.3)
    @Test("a test with a warning or a known issue passes, and can be hunted with")
    func harmless() async throws {
      let issues = try await hunted {
        Issue.record("a warning", severity: .warning)
        withKnownIssue { Issue.record("a known issue") }
        try await Self.push(attempts: 9)
        try await Self.shown()
      }
      #expect(issues.isEmpty)
    }
  #endif

  #if compiler(>=6.3)
    @Test("a test that expects nothing of its phone passes with a warning")
    func careless() async throws {
      let issues = try await hunted { try await Self.push(attempts: 9) }
      #expect(issues.count == 1 && issues.first?.contains("It passes even if no push reaches its phone") == true)
    }
  #endif

  @Test("the finds of a test are kept in a file whose name is the same in each process", arguments: [1, 2])
  func names(number: Int) throws {
    let (test, testCase) = (try #require(Test.current), try #require(Test.Case.current))
    #expect(KeptFinds.name(of: test) == "PushpitTestingTests.HuntTests/names(number:)/HuntTests.swift")
    let name = KeptFinds.name(of: testCase)
    #expect(name.contains("(value: \(number),") && !name.contains("unknown context"), "\(name)")
  }

  @Test("a test that cannot be hunted with fails in a sentence")
  func refused() async throws {
    let failing = try await hunted {
      try await Self.push(attempts: 9)
      Issue.record("no 17 goals")
    }
    #expect(failing.first?.hasPrefix("Pushpit could not hunt: The test fails without any trouble: ") == true)
    let silent = try await hunted {}
    #expect(silent.first?.contains("its session got no push") == true)
  }

  @Test(
    "a fault is printed as the trait that sets it",
    arguments: [
      (
        ["then": ["answer": "TooManyRequests", "retryAfter": 1], "limit": 1],
        .fault(.answer(.tooManyRequests, retryAfter: 1), limit: 1),
        ".fault(.answer(.tooManyRequests, retryAfter: 1), limit: 1)"
      ),
      (
        ["then": ["answer": "Unregistered", "age": "30d"]],
        .fault(.answer(.unregistered, age: .seconds(2_592_000))),
        ".fault(.answer(.unregistered, age: .seconds(2592000)))"
      ),
      (
        ["then": ["loseAnswer": "CANCEL"], "when": ["event": "update", "skip": 2]],
        .fault(.loseAnswer(.cancel), when: .event("update"), .skip(2)),
        #".fault(.loseAnswer(.cancel), when: .event("update"), .skip(2))"#
      ),
      (
        ["then": ["goAway": "NO_ERROR", "debug": #"{"reason":"Shutdown"}"#, "closes": true]],
        .fault(.goAway(.noError, debug: #"{"reason":"Shutdown"}"#, closes: true)),
        ##".fault(.goAway(.noError, debug: #"{"reason":"Shutdown"}"#, closes: true))"##
      ),
      (
        ["then": ["arrival": ["delay": "250ms"]], "odds": "20%"],
        .fault(.arrival(delay: .milliseconds(250)), odds: 0.2), ".fault(.arrival(delay: .milliseconds(250)), odds: 0.2)"
      ),
      (["then": ["arrival": "double"]], .fault(.arrival(.double)), ".fault(.arrival(.double))"),
      (
        ["then": ["malformed": "<html>", "status": 503]], .fault(.malformed("<html>", status: 503)),
        #".fault(.malformed("<html>", status: 503))"#
      ),
      (["then": ["withoutId": true]], .fault(.withoutID), ".fault(.withoutID)"),
      (
        ["then": ["halfClose": true, "goodbye": false]], .fault(.halfClose(goodbye: false)),
        ".fault(.halfClose(goodbye: false))"
      ),
      (
        ["then": ["delay": "2s"], "when": ["pushType": "liveactivity"]],
        .fault(.delay(.seconds(2)), when: .pushType(.liveactivity)),
        ".fault(.delay(.seconds(2)), when: .pushType(.liveactivity))"
      ),
    ] as [(JSON, PushpitFaultTrait, String)])
  func text(order: JSON, trait: PushpitFaultTrait, text: String) {
    #expect(FaultText(order).trait == text)
    #expect(Set((trait.order.json.object ?? [:]).keys) == Set((order.object ?? [:]).keys))
  }

  @Test("options of another form are told")
  func options() async throws {
    let test = try #require(Test.current)
    for trait in [PushpitHuntTrait.hunt(seconds: 0), .hunt(seconds: 5, seed: -1)] {
      await #expect(throws: PushpitError.self) { try await trait.prepare(for: test) }
    }
    let error = await #expect(throws: PushpitError.self) { try await hunted(accept: ["goaway"]) {} }
    #expect(error?.sentence.contains("did you mean goAway?") == true)
  }
}
