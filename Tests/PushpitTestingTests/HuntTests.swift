import Foundation
import Pushpit
import Synchronization
import Testing
import Transport

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
  ///
  /// - Parameters:
  ///   - fault: set after the faults of each variant that has some.
  ///   - door: the way to the server, made from that of other tests.
  private func hunted(
    seconds: Double = 60, accept: [String] = [], besides fault: JSON? = nil,
    through door: @escaping @Sendable (any AdminDoor) -> any AdminDoor = { $0 },
    _ body: @escaping @Sendable () async throws -> Void
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
          faults: (faults + (faults.isEmpty ? [] : [fault].compactMap(\.self))).map {
            PushpitFaultTrait(order: Pushpit.FaultOrder(json: $0), sourceLocation: test.sourceLocation)
          }, opensAtOnce: true)
      }
      let api = try await SharedServers.server(trait.options).api
      try await hunt.run(with: AdminClient(api.url, through: door(api.door)), performing: body)
    }
    return issues.withLock { $0 }
  }

  private static func shown() async throws {
    try await Pushpit.phone().expect(.notifications(1), within: .seconds(1))
  }

  /// Fails a test that is played less often.
  private struct LeastPlays: TestTrait, TestScoping {
    final class Counter: Sendable {
      let plays = Atomic(0)
    }

    @TaskLocal static var counter = Counter()

    let least: Int

    func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      let counter = Counter()
      try await Self.$counter.withValue(counter) { try await function() }
      #expect(counter.plays.load(ordering: .relaxed) >= least)
    }
  }

  /// The first four plays have no trouble.
  @Test(
    "a test whose backend tries again is played with faults, and passes", LeastPlays(least: 6), .pushpit(fleet: 30),
    .hunt(seconds: 300, seed: 1, variants: 30))
  func right() async throws {
    LeastPlays.counter.plays.add(1, ordering: .relaxed)
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
    @Test("a hunt in which every kind of trouble is accepted says so, and nothing of its time")
    func nothing() async throws {
      let kinds = [
        "answer", "arrival", "lose", "loseAnswer", "delay", "abort", "malformed", "withoutId", "goAway", "halfClose",
        "reset", "close",
      ]
      let issues = try await hunted(accept: kinds) {
        try await Self.push(attempts: 9)
        try await Self.shown()
      }
      #expect(issues == ["Every kind of trouble is accepted, so nothing but the test itself was played."])
    }
  #endif

  #if compiler(>=6.3)
    @Test("a test that expects nothing of its phone passes with a warning")
    func careless() async throws {
      let issues = try await hunted { try await Self.push(attempts: 9) }
      #expect(issues.count == 1 && issues.first?.contains("It passes even if no push reaches its phone") == true)
    }
  #endif

  @Test("a variant whose faults cannot be set is no find, and is told in a note")
  func unset() async throws {
    let issues = try await hunted(besides: ["then": ["answer": "No"]]) {
      try await Self.push(attempts: 9)
      try await Self.shown()
    }
    #if compiler(>=6.3)
      let text = try #require(issues.first)
      #expect(issues.count == 1 && text.contains("variants could not be played; the first one: "), "\(text)")
    #else
      #expect(issues.isEmpty)
    #endif
  }

  @Test("a test is played at least once, however short its hunt is")
  func short() async throws {
    let issues = try await hunted(seconds: 1e-9) {
      try await Self.push(attempts: 9)
      Issue.record("no 17 goals")
    }
    #expect(issues.first?.hasPrefix("Pushpit could not hunt: The test fails without any trouble: ") == true)
  }

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
    #expect(Self.plain(trait.order.json) == Self.plain(order))
  }

  /// A fault with its durations in seconds, and its shares as numbers.
  private static func plain(_ value: JSON) -> JSON {
    if let members = value.object { return JSON(members.mapValues(plain)) }
    guard let found = value.string?.wholeMatch(of: /(\d+)(ms|s|d|%)/), let number = Double(found.1) else {
      return value.double.map { JSON($0) } ?? value
    }
    switch found.2 {
    case "ms": return JSON(number / 1000)
    case "d": return JSON(number * 86400)
    case "%": return JSON(number / 100)
    default: return JSON(number)
    }
  }

  /// A door through which nothing can be deleted.
  private struct KeepingDoor: AdminDoor {
    let inner: any AdminDoor

    func begin(_ call: AdminCall, for client: WaitingClient, _ end: @escaping End) {
      guard call.method == "DELETE" else { return inner.begin(call, for: client, end) }
      end(.failure(.timedOut))
    }
  }

  @Test("what was found is reported even if the hunt cannot be deleted")
  func undeleted() async throws {
    let issues = try await hunted(through: { KeepingDoor(inner: $0) }) {
      try await Self.push(attempts: 9)
      Issue.record("no 17 goals")
    }
    #expect(issues.first?.hasPrefix("Pushpit could not hunt: ") == true)
  }

  private static func find(_ number: Int, _ faults: JSON) -> JSON {
    ["number": JSON(number), "faults": faults, "words": ["a push is lost"], "failure": "no 17 goals", "plays": 5]
  }

  @Test("only a find that was made smaller to the end is reported as kept")
  func unfinished() throws {
    let find = Self.find(1, [["then": ["lose": true]]])
    func text(_ finds: JSON, unfinished: JSON) throws -> String {
      let report: JSON = ["finds": finds, "unfinished": unfinished, "played": 9]
      return try #require(FindsText(report: report, seed: 1, spent: 5, path: "finds.json").text { _ in [] })
    }
    #expect(try !text([], unfinished: find).contains("Kept in"))
    #expect(try text([find], unfinished: nil).contains("Kept in finds.json,"))
  }

  @Test("a test that has also a trait of a fault is told to remove one")
  func ownFault() throws {
    let report: JSON = ["refusal": "The test fails without any trouble: no 17 goals"]
    let finds = FindsText(report: report, seed: 1, spent: 5, path: "finds.json", hasOwnFault: true)
    let text = try #require(finds.text { _ in [] })
    let end = "no 17 goals. Each play has the fault of the trait .fault: remove that trait, or .hunt."
    #expect(text == "Pushpit could not hunt: The test fails without any trouble: \(end)")
  }

  @Test("a line tells how far a hunt is, and of a failure that is made smaller how long that may take")
  func progress() {
    func line(_ report: JSON) -> String { TestHunt.progress(of: "goal()", in: report, spent: 12.9, seconds: 25) }
    let find = Self.find(1, [["then": ["lose": true]]])
    #expect(
      line(["finds": [], "investigating": false, "played": 1])
        == "goal() hunts: 1 variant in 12 of 25 s, nothing found yet\n")
    #expect(
      line(["finds": [find, find], "investigating": false, "played": 0])
        == "goal() hunts: 0 variants in 12 of 25 s, 2 kinds of failure\n")
    #expect(
      line(["finds": [], "investigating": true, "played": 9])
        == "goal() makes a failure smaller: 9 variants in 12 of at most 37.5 s\n")
    #expect(
      line(["finds": [find], "investigating": true, "played": 9])
        == "goal() makes a failure smaller: 9 variants in 12 of at most 37.5 s, 1 kind of failure\n")
  }

  @Test("the failure of a find is that of its faults, however alike the words of others are")
  func failuresByFaults() {
    func faults(closing: Bool) -> JSON {
      [["name": "hunt 1", "then": ["goAway": "NO_ERROR", "closes": JSON(closing)]]]
    }
    var failures = LatestFailures<String>()
    failures.add("it closes", with: faults(closing: true))
    failures.add("it stays open", with: faults(closing: false))
    #expect(failures[Self.find(1, faults(closing: true))] == "it closes")
    #expect(failures[Self.find(2, faults(closing: false))] == "it stays open")
  }

  @Test("of many failures the latest are kept, and those of finds")
  func boundedFailures() {
    func faults(_ limit: Int) -> JSON { [["limit": JSON(limit), "then": ["abort": true]]] }
    var failures = LatestFailures<Int>()
    for number in 1...LatestFailures<Int>.most {
      failures.add(number, with: faults(number))
    }
    failures.keep(Self.find(1, faults(1)))
    for number in 1...2 { failures.add(-number, with: faults(-number)) }
    #expect(failures[Self.find(1, faults(1))] == 1 && failures[Self.find(2, faults(2))] == nil)
    #expect(failures[Self.find(3, faults(3))] == 3 && failures[Self.find(4, faults(-2))] == -2)
  }

  @Test("options of another form are told", .pushpit(fleet: 30))
  func options() async throws {
    let test = try #require(Test.current)
    for (trait, option) in [
      (.hunt(seconds: 0), "seconds"), (.hunt(seconds: 5, seed: -1), "seed"),
      (.hunt(seconds: 5, variants: 0), "variants"),
      (.hunt(seconds: 5, variants: -3), "variants"),
    ] as [(PushpitHuntTrait, String)] {
      let error = await #expect(throws: PushpitError.self) { try await trait.prepare(for: test) }
      #expect(error?.sentence.hasPrefix("\(option) of the trait .hunt is ") == true)
    }
    let error = await #expect(throws: PushpitError.self) { try await hunted(accept: ["goaway"]) {} }
    #expect(error?.sentence.contains("did you mean goAway?") == true)
  }
}
