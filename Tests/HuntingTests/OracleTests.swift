import Configuration
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Oracles of hunts")
struct OracleTests {
  /// A fault, and the failure of a backend with a bug that does not bear it.
  struct Case: CustomTestStringConvertible, Sendable {
    let bug: MatchBackend.Bug
    let fault: String
    let oracle: String
    let words: String
    var setting: String?

    init(_ bug: MatchBackend.Bug, _ fault: String, _ oracle: String, _ words: String, setting: String? = nil) {
      (self.bug, self.fault, self.oracle, self.words, self.setting) = (bug, fault, oracle, words, setting)
    }

    var testDescription: String { "\(bug): \(fault)\(setting ?? "")" }
    var faults: [String] { fault.split(separator: "\n").map(String.init) }
    var settings: [String] { setting.map { [$0] } ?? [] }
  }

  /// The last update of the only card that still runs at the end is lost.
  static let lastUpdate = "when: {device: d2, event: update, skip: 3}, limit: 1"
  /// The token of a card comes when everything has been sent; the app stays open for that.
  private static let lateToken = """
    when: {device: d2}, from: 20s, then: {devices: {do: open}}
    when: {event: activityToken, device: d2}, limit: 1, then: {calls: {delay: 700s}}
    """

  static let cases: [Case] = [
    Case(
      .givesUp, lastUpdate + ", then: {answer: TooManyRequests}", "lastStateLost",
      "1 of 3 cards stays behind: an update that was answered 429 is never sent again (d2: push 18 at 10m, an update,"
        + " 429 TooManyRequests; the card shows compactLeading.score \"3\", not \"4\")"),
    Case(
      .givesUp, lastUpdate + ", then: {answer: ExpiredProviderToken}", "lastStateLost",
      "an update that was answered 403 ExpiredProviderToken is never sent again"),
    Case(
      .givesUp, lastUpdate + ", then: {reset: REFUSED_STREAM}", "lastStateLost",
      "an update that APNs did not look at is never sent again"),
    Case(
      .givesUp, "when: {event: end}, then: {answer: InternalServerError}, limit: 2", "lastStateLost",
      "2 of 3 cards stay behind: an end that was answered 500 is never sent again"),
    Case(
      .givesUp, "when: {event: start, device: d2}, limit: 1, then: {answer: ServiceUnavailable}", "lastStateLost",
      "a start that was answered 503 is never sent again (d2 has no card"),
    Case(.ignoresLateTokens, lateToken, "lastStateLost", "what changed before the update token came is never sent"),
    Case(
      .ignoresRotation, "when: {device: d2}, from: 270s, then: {devices: {do: rotate, kind: update}}", "tokenForgotten",
      "update token, which the app has reported in place of one that is pushed to"),
    Case(
      .endsWithoutContent, "", "lastStateLost",
      "2 of 3 cards stay behind: an end without the last content overwrites it",
      setting: "delivery: {acknowledge: 1s..3s}"),
    Case(
      .forgets, "when: {device: d2, event: update}, limit: 1, then: {answer: TooManyRequests}", "tokenForgotten",
      "1 of 4 tokens gets nothing any more: update token, after an update that was answered 429"),
    Case(
      .forgets, "when: {device: d2, event: update}, limit: 1, then: {answer: Unregistered, age: 30d}", "tokenForgotten",
      "update token, after an update that was answered 410"),
    Case(
      .givesUp, "when: {pushType: alert, device: d1}, limit: 1, then: {answer: TooManyRequests}", "alertLost",
      "1 of 3 alerts never comes: an alert that was answered 429 is never sent again (d1: push "),
    Case(
      .givesUp, "when: {pushType: alert}, limit: 2, then: {reset: REFUSED_STREAM}", "alertLost",
      "2 of 3 alerts never come: an alert that APNs did not look at is never sent again (d0: push "),
    Case(
      .restamps, "when: {device: d0, event: update, skip: 1}, limit: 1, then: {loseAnswer: CANCEL}", "alertTwice",
      "an update whose answer was lost with a new timestamp is sent again"),
    Case(
      .isImpatient, "when: {pushType: alert}, limit: 1, then: {delay: 9s}", "alertTwice",
      "an alert whose answer 200 took seconds is sent again"),
    Case(
      .breaksOff, "when: {pushType: alert}, limit: 1, then: {delay: 30s}", "alertTwice",
      "an alert for whose answer it has not waited 10s is sent again"),
    Case(
      .forgets, lastUpdate + ", then: {answer: TooManyRequests}", "lastStateLost",
      "an update that was answered 429 is never sent again"),
    Case(
      .resendsAll, "when: {pushType: alert}, limit: 1, then: {answer: TooManyRequests}", "alertTwice",
      "an alert that was answered 200 is sent again"),
    Case(
      .renewsAtRefusal, "when: {device: d0}, limit: 2, then: {answer: ExpiredProviderToken}", "lastStateLost",
      "that was answered 429 is never sent again"),
    Case(
      .keepsConnection, "when: {skip: 9}, limit: 1, then: {answerAll: InternalServerError}", "lastStateLost",
      "an end that was sent only on a connection that refuses everything is never sent again"),
    Case(
      .keepsConnection, "when: {skip: 9}, limit: 1, then: {skew: 90m}", "lastStateLost",
      "an end that was sent only on a connection that refuses everything is never sent again"),
    Case(
      .startsAgain, "when: {event: start}, limit: 1, then: {loseAnswer: CANCEL}", "startedTwice",
      "1 phone got two cards about one thing: a start whose card had reported its token is sent again"),
    Case(
      .ignores410, "when: {device: d0, tokenKind: update}, then: {answer: Unregistered}", "deadTokenPushed",
      "1 update token got more than 3 pushes after a 410: that of d0 got 4"),
    Case(.fails, lateToken, "backendFails", "the backend answers 1 call at activityToken with 500, the first at 30s"),
    Case(
      .isHasty, "when: {event: update}, limit: 1, then: {answer: TooManyRequests, retryAfter: 20}", "findings",
      "hastyRetry"),
  ]

  @Test("a backend that bears no trouble is told, with words for its failure", arguments: cases)
  func wrong(_ wrong: Case) throws {
    let plain = try MatchBackend.plain(of: wrong.bug)
    let variant = try MatchBackend.witness(of: wrong.bug, faults: wrong.faults, settings: wrong.settings)
    let failures = Oracles.judge(variant, plain: plain)
    let found = failures.first { $0.group.oracle == wrong.oracle }
    #expect(
      found?.sentence.contains(wrong.words) == true,
      "\(failures.map(\.sentence)) \(variant.pushes.map { $0.words(since: variant.began) })")
    #expect(Oracles.judge(plain, plain: plain) == [])
  }

  @Test(
    "a backend that hangs is told, unless it waits for streams that come back by the time that stands",
    arguments: ["streams: 0, back: 1000, after: 29s", "window: 16, back: 65535, after: 29s", "freeze: true"])
  func hanging(consequence: String) throws {
    let plain = try MatchBackend.plain()
    // The first push comes after 30 s.
    func told(after seconds: Int, skip: Int = 0, hangs: Bool = true) throws -> Int {
      let fault = "when: {skip: \(skip)}, limit: 1, then: {\(consequence)}"
      let variant = try MatchBackend.witness(
        faults: [fault], length: .seconds(30 + seconds), ending: ("it did not answer", hangs: hangs))
      return Oracles.judge(variant, plain: plain).count
    }
    let isGivenBack = consequence.contains("back")
    #expect(try told(after: 20) == (isGivenBack ? 0 : 1))
    #expect(try told(after: 40) == 1)
    #expect(try told(after: 20, skip: 100) == 1)
    #expect(try told(after: 20, hangs: false) == 1)
  }

  @Test("a backend that hangs is told, unless it waits for a gateway that listens again by the time that stands")
  func hangingAtListener() throws {
    let plain = try MatchBackend.plain()
    func told(after seconds: Int) throws -> Int {
      let variant = try MatchBackend.witness(
        faults: ["from: 30s, for: 60s, then: {listener: refuse}"], length: .seconds(seconds),
        ending: ("it did not answer", hangs: true))
      return Oracles.judge(variant, plain: plain).count
    }
    #expect(try told(after: 20) == 1 && told(after: 60) == 0 && told(after: 100) == 1)
  }

  @Test("a find of lost alerts expects a push for each of them, whichever phones another play misses")
  func expectsAlerts() throws {
    let fault = "when: {pushType: alert}, limit: 2, then: {answer: TooManyRequests}"
    let variant = try MatchBackend.witness(of: .givesUp, faults: [fault])
    let failures = AlertLost.judge(variant, plain: try MatchBackend.plain(of: .givesUp))
    #expect(failures.map(\.expectation?["count"]) == ["3.."])
    #expect(failures.first?.expectation?["pushes"]?["status"] == 200)
  }

  @Test("an alert that was given up is told, though its owner opens the app later")
  func openedLater() throws {
    let refused = "when: {device: d2, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
    let follow = "when: {device: d2}, from: 10m, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}"
    let variant = try MatchBackend.witness(of: .givesUp, faults: [refused, follow])
    #expect(variant.calls.contains { $0.event == "action.follow" })
    #expect(AlertLost.judge(variant, plain: try MatchBackend.plain(of: .givesUp)).count == 1)
  }

  @Test("a find of pushes to a dead token expects fewer pushes if some got other answers than 410")
  func expectsFewer() throws {
    func expectation(limit: Int) throws -> JSONValue? {
      let fault = "when: {device: d0, tokenKind: update}, limit: \(limit), then: {answer: Unregistered}"
      let variant = try MatchBackend.witness(of: .ignores410, faults: [fault])
      return DeadTokenPushed.judge(variant, plain: try MatchBackend.plain(of: .ignores410)).first?.expectation
    }
    #expect(try expectation(limit: 100)?["count"] == "0..4")
    #expect(try expectation(limit: 1)?["pushes"] == ["device": "d0", "tokenKind": "update"])
    #expect(try expectation(limit: 1)?["count"] == "0..4")
  }

  @Test("numbers that count pushes may lag behind, unless nothing else changes")
  func counters() {
    func contents(_ scores: [Int64], text: String) -> [Leaves] {
      scores.map { Leaves(["revision": .string("\($0)"), "text": .string("\(text)\($0)")], near: .distantPast) }
    }
    let revision = Leaves(["revision": "4"], near: .distantPast)
    #expect(CardComparison.isOnlyCounted(revision, in: contents([2, 3, 4], text: "goal ")))
    #expect(!CardComparison.isOnlyCounted(revision, in: contents([2, 2, 4], text: "goal ")))
    #expect(
      !CardComparison.isOnlyCounted(revision, in: [2, 3, 4].map { Leaves(["revision": $0], near: .distantPast) }))
    let both = Leaves(["revision": "4", "text": "goal 4"], near: .distantPast)
    #expect(!CardComparison.isOnlyCounted(both, in: contents([2, 3, 4], text: "goal ")))
  }

  @Test("a find of forgotten tokens expects a push for each of them, whichever phones another play forgets")
  func expectsAll() throws {
    let fault = "when: {event: update}, limit: 3, then: {answer: TooManyRequests}"
    let variant = try MatchBackend.witness(of: .forgets, faults: [fault])
    let failures = TokenForgotten.judge(variant, plain: try MatchBackend.plain(of: .forgets))
    #expect(failures.count == 1 && failures[0].sentence.hasPrefix("3 of "))
    // Two of the three cards are ended in the story.
    #expect(failures.first?.expectation?["count"] == "2..")
    #expect(failures.first?.expectation?["pushes"]?["payload"] == ["aps": ["event": "end"]])
  }

  @Test("a find of a token that was replaced expects no more pushes to it, as a right backend sends none")
  func expectsNoneAstray() throws {
    let faults = [
      "when: {device: d2}, from: 190s, then: {devices: {do: rotate, kind: device}}",
      "when: {device: d2}, from: 195s, then: {devices: {do: open}}",
    ]
    let wrong = try MatchBackend.witness(of: .keepsDeviceTokens, faults: faults)
    let failures = TokenForgotten.judge(wrong, plain: try MatchBackend.plain(of: .keepsDeviceTokens))
    let expectation = try #require(failures.first?.expectation)
    #expect(expectation["count"] == "0..0" && expectation["pushes"]?["cause"] == "orphan-token")
    func astray(_ witness: Witness) -> Int {
      witness.pushes.count { $0.tokenKind == "device" && $0.record.fate == .discarded(.orphanToken) }
    }
    let right = try MatchBackend.witness(of: .alertsOften, faults: faults)
    #expect(astray(wrong) == 4 && astray(right) == 0)
  }

  @Test("oracles have names of their own, and say in a sentence what they find")
  func names() {
    #expect(Set(Oracles.all.map { $0.name }).count == Oracles.all.count)
    for oracle in Oracles.all { #expect(oracle.meaning.hasSuffix(".") && oracle.meaning.count < 120) }
  }
}
