import Foundation
import Synchronization
import Testing

/// A hunt with one test: what to play is the server's choice, and here it is played.
struct TestHunt {
  /// The failures of a play, which are not those of the hunted test.
  private final class Failures: Sendable {
    private let found = Mutex<[Issue]>([])

    var first: Issue? { found.withLock { $0.first } }

    /// Ignores warnings and known issues, with which a test passes.
    func add(_ issue: Issue) {
      #if compiler(>=6.3)
        guard issue.isFailure else { return }
      #endif
      found.withLock { $0.append(issue) }
    }
  }

  private struct Play {
    let verdict: [String: JSON]
    let failure: Issue?
  }

  /// Number of plays without trouble, before the hunt begins.
  private static let plain = 4
  /// Fewer variants than these say nothing.
  private static let few = 10
  /// Factor for the time of a hunt that is making a failure smaller.
  private static let longer = 1.5

  private let order: PushpitHuntTrait
  private let seed: Int
  private let test: Test
  private let testCase: Test.Case?
  /// Makes the scope of a play with further faults.
  private let scope: ([JSON]) -> TestScope
  private var kept: KeptFinds
  private var report: JSON = [:]
  private var notes: [String] = []
  /// The reason why the finds could not be kept.
  private var unwritten: String?
  /// True if the server had nothing left to play.
  private var isOver = false
  private var failed = LatestFailures<Issue>()
  private var began = ContinuousClock.now

  /// - Parameter scope: makes the scope of a play with further faults.
  init(
    _ order: PushpitHuntTrait, _ test: Test, testCase: Test.Case?, in scope: @escaping ([JSON]) -> TestScope
  ) throws {
    self.test = test
    self.testCase = testCase
    self.scope = scope
    self.order = order
    seed = order.seed ?? Int.random(in: 1...PushpitHuntTrait.mostSeed)
    kept = try KeptFinds(of: test, testCase)
  }

  private func play(
    with faults: [JSON], performing function: @Sendable () async throws -> Void
  ) async throws -> Play {
    let (test, testCase, scope, failures) = (test, testCase, scope(faults), Failures())
    let collecting = IssueHandlingTrait.compactMapIssues {
      failures.add($0)
      return nil
    }
    var thrown: (any Error)?
    do {
      try await collecting.provideScope(for: test, testCase: testCase) {
        try await scope.run(test, testCase: testCase, performing: function)
      }
    } catch {
      thrown = error
    }
    try Task.checkCancellation()
    return Self.play(failures.first, thrown: thrown, in: scope)
  }

  private static func play(_ issue: Issue?, thrown: (any Error)?, in scope: TestScope) -> Play {
    guard let session = scope.opened?.name, scope.isReady else {
      let why = (thrown ?? issue?.error).map { "\($0)" } ?? issue.map { "\($0)" } ?? "it has no session"
      return Play(verdict: ["problem": JSON(why)], failure: nil)
    }
    guard let issue else {
      guard let thrown else { return Play(verdict: ["session": JSON(session), "passed": true], failure: nil) }
      return Play(verdict: ["session": JSON(session), "passed": false, "failure": JSON("\(thrown)")], failure: nil)
    }
    var verdict: [String: JSON] = ["session": JSON(session), "passed": false, "failure": JSON(sentence(of: issue))]
    if let place = issue.sourceLocation { verdict["at"] = JSON("\(place.fileID):\(place.line)") }
    return Play(verdict: verdict, failure: issue)
  }

  /// The issue without its comments, which are shown once below.
  private static func sentence(of issue: Issue) -> String {
    var bare = issue
    bare.comments = []
    return "\(bare)"
  }

  /// Plays until the time is over, and records what was found.
  mutating func run(with api: AdminClient, performing function: @Sendable () async throws -> Void) async throws {
    // The server may have been started just before, which takes a while.
    began = .now
    report = try await api.post(
      "/v1/hunts",
      [
        "name": JSON(kept.path), "seed": JSON(seed), "accept": JSON(order.accept.map { JSON($0) }),
        "kept": JSON(kept.all.map { $0["perturbations"] }),
      ])
    let path = "/v1/hunts/\(report["id"].text)"
    do {
      var told = began
      while goesOn {
        if told.duration(to: .now) >= Self.interval {
          told = .now
          tell()
        }
        let next = try await api.post("\(path)/next")
        guard !next["play"].isNull else {
          isOver = !next["over"].isNull
          if isOver { report = next["over"] }
          break
        }
        try await judge(next["play"], by: api, path, performing: function)
      }
    } catch {
      await end(path, by: api)
      throw error
    }
    await end(path, by: api)
    tellOfTime()
    let finds = FindsText(
      report: report, seed: seed, spent: spent, path: kept.path, unwritten: unwritten, notes: notes,
      hasOwnFault: test.traits.contains { $0 is PushpitFaultTrait })
    if let text = finds.text(comments: { failed[$0]?.comments.map(\.rawValue) ?? [] }) {
      Issue.record(Comment(rawValue: text), sourceLocation: test.sourceLocation)
    } else if !notes.isEmpty {
      warn(notes.joined(separator: "\n"))
    }
  }

  /// The time between two lines that tell how far a hunt is.
  private static let interval: Duration = .seconds(10)

  /// Tells how far it is, where nobody takes it for a result.
  private func tell() {
    let line = Self.progress(of: test.name, in: report, spent: spent, seconds: order.seconds)
    // Nobody may be reading, which is no failure of the test. The server in this process ignores SIGPIPE.
    try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
  }

  /// A line that tells how far a hunt is.
  ///
  /// - Parameter spent: the time since it began, in seconds.
  static func progress(of name: String, in report: JSON, spent: Double, seconds: Double) -> String {
    let (finds, isInvestigating) = (report["finds"].rows.count, report["investigating"].bool == true)
    let does = isInvestigating ? "makes a failure smaller" : "hunts"
    let most = isInvestigating ? "at most \(short(longer * seconds))" : short(seconds)
    var parts = ["\(FindsText.counted(report["played"].int ?? 0, "variant")) in \(Int(spent)) of \(most) s"]
    if finds > 0 {
      parts.append(FindsText.kinds(finds))
    } else if !isInvestigating {
      parts.append("nothing found yet")
    }
    return "\(name) \(does): \(parts.joined(separator: ", "))\n"
  }

  private static func short(_ seconds: Double) -> String { String(format: "%g", seconds) }

  /// Keeps the finds, and deletes the hunt. The server deletes one that is left when it needs its place.
  private mutating func end(_ path: String, by api: AdminClient) async {
    unwritten = kept.write()
    try? await api.delete(path)
  }

  /// Says something about a hunt that has found nothing. Swift Testing has warnings since 6.3.
  private func warn(_ text: String) {
    #if compiler(>=6.3)
      Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: test.sourceLocation)
    #endif
  }

  /// False if the time is over, or enough is played. A failure that is being looked into gets half of the time more.
  /// The test is played at least once: it must not pass unseen.
  private var goesOn: Bool {
    if report["played"] == 0 { return true }
    if report["investigating"].bool == true { return spent < Self.longer * order.seconds }
    return spent < order.seconds && drawn < order.variants ?? .max
  }

  /// Number of variants after the first plays, which have no trouble.
  private var drawn: Int { max(0, (report["played"].int ?? 0) - Self.plain) }

  private var spent: Double { began.duration(to: .now) / .seconds(1) }

  private mutating func judge(
    _ variant: JSON, by api: AdminClient, _ path: String, performing function: @Sendable () async throws -> Void
  ) async throws {
    let played = try await Polling.$patience.withValue(variant["patience"].int ?? 1) {
      try await play(with: variant["faults"].rows, performing: function)
    }
    if let failure = played.failure { failed.add(failure, with: variant["faults"]) }
    let known = report["finds"].rows.count
    report = try await api.post("\(path)/verdict", JSON(played.verdict).adding(["variant": variant["variant"]]))
    if variant["purpose"].string == "kept", played.verdict["passed"] == true { kept.drop(variant["faults"]) }
    let finds = report["finds"].rows.dropFirst(known)
    for find in finds {
      failed.keep(find)
      kept.add(find)
    }
    if !finds.isEmpty { _ = kept.write() }
  }

  // MARK: - What was found

  private mutating func tellOfTime() {
    notes += report["notes"].rows.map(\.text)
    guard report["refusal"].isNull, report["doubt"].isNull else { return }
    if report["investigating"].bool == true, report["unfinished"].isNull {
      notes.append("A variant failed just before the time was over; a longer hunt would look into it.")
    }
    guard FindsText.finds(in: report).isEmpty else { return }
    if isOver {
      if drawn == 0 { notes.append("Every kind of trouble is accepted, so nothing but the test itself was played.") }
    } else if drawn < min(Self.few, order.variants ?? Self.few) {
      notes.append(
        "Only \(FindsText.counted(drawn, "variant")) fit into \(Self.short(order.seconds)) s. A hunt needs hundreds:"
          + " raise seconds, or shorten what the test waits for.")
    }
  }
}
