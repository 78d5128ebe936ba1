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
  private static let lastUpdate = "when: {device: d2, event: update, skip: 3}, limit: 1"
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

  @Test("a right backend is told of nothing, whatever goes wrong", arguments: cases)
  func right(_ wrong: Case) throws {
    let plain = try MatchBackend.plain()
    let variant = try MatchBackend.witness(faults: wrong.faults, settings: wrong.settings)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test(
    "a start above the last stream of a GOAWAY may be sent again, even if its phone has had it already",
    arguments: ["before: 1", "before: 2", "before: -1"])
  func goAway(place: String) throws {
    let fault = "when: {event: start, skip: 2}, limit: 1, then: {goAway: NO_ERROR, \(place)}"
    let variant = try MatchBackend.witness(faults: [fault])
    #expect(StartedTwice.judge(variant, plain: try MatchBackend.plain()) == [])
  }

  @Test("a card that is gone by 410 may be started again, unless the app has reported that it was dismissed")
  func gone() throws {
    let swipe = "when: {device: d2}, from: 200s, then: {devices: {do: swipe}}"
    let open = "when: {device: d2}, from: 210s, then: {devices: {do: open}}"
    let plain = try MatchBackend.plain(of: .startsWhatIsGone)
    let silent = try MatchBackend.witness(of: .startsWhatIsGone, faults: [swipe])
    #expect(silent.pushes.count(where: \.isStart) == 4)
    #expect(StartedTwice.judge(silent, plain: plain).map(\.sentence) == [])
    let told = try MatchBackend.witness(of: .startsWhatIsGone, faults: [swipe, open])
    #expect(
      StartedTwice.judge(told, plain: plain).map(\.group.subject) == [
        "a start whose card had reported its token is sent again"
      ])
  }

  /// Trouble that each of these adds makes the backend's failure to send an update again no fault of its own.
  @Test(
    "a card that stays behind is not blamed on a backend that could not know better",
    arguments: [
      "when: {device: d2}, from: 13m, then: {devices: {do: goOffline}}",
      "when: {device: d2}, from: 13m, then: {devices: {do: uninstall}}",
      "when: {device: d2}, from: 13m, then: {devices: {do: swipe}}",
      "when: {device: d2}, from: 13m, then: {devices: {do: switch, what: allLiveActivities, on: false}}",
      "when: {event: frequentPushes, device: d2}, then: {calls: lose}",
      "when: {event: deviceToken}, then: {calls: overtake}",
    ])
  func fair(trouble: String) throws {
    let lost = Self.lastUpdate + ", then: {answer: TooManyRequests}"
    let plain = try MatchBackend.plain(of: .givesUp)
    let told = try MatchBackend.witness(of: .givesUp, faults: [lost])
    #expect(LastStateLost.judge(told, plain: plain).count == 1)
    let variant = try MatchBackend.witness(of: .givesUp, faults: [lost, trouble])
    #expect(LastStateLost.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test(
    "nothing is lost by a backend if APNs took the push or called it wrong",
    arguments: [
      "then: {loseAnswer: CANCEL}", "then: {answer: PayloadTooLarge}", "then: {answer: BadDeviceToken}",
      "then: {arrival: lose}",
    ])
  func done(consequence: String) throws {
    let plain = try MatchBackend.plain(of: .givesUp)
    let variant = try MatchBackend.witness(of: .givesUp, faults: [Self.lastUpdate + ", " + consequence])
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test(
    "an alert is not lost by a backend that could not know better, or did enough",
    arguments: [
      ["then: {loseAnswer: CANCEL}"], ["then: {abort: true}"], ["then: {answer: PayloadTooLarge}"],
      ["then: {answer: BadDeviceToken}"], ["then: {answer: Unregistered}"], ["then: {malformed: no, status: 503}"],
      ["then: {answer: TooManyRequests}", "when: {device: d2}, from: 13m, then: {devices: {do: goOffline}}"],
      ["then: {answer: TooManyRequests}", "when: {device: d2}, from: 13m, then: {devices: {do: uninstall}}"],
      [
        "then: {answer: TooManyRequests}",
        "when: {device: d2}, from: 5m, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}",
      ],
      [
        "then: {answer: TooManyRequests}", "when: {device: d2}, from: 13m, then: {devices: {do: rotate, kind: device}}",
      ],
    ])
  func fairAboutAlerts(troubles: [String]) throws {
    let alert = "when: {device: d2, pushType: alert}, limit: 1, "
    let plain = try MatchBackend.plain(of: .givesUp)
    let told = try MatchBackend.witness(of: .givesUp, faults: [alert + "then: {answer: TooManyRequests}"])
    #expect(AlertLost.judge(told, plain: plain).count == 1)
    let variant = try MatchBackend.witness(of: .givesUp, faults: [alert + troubles[0]] + troubles.dropFirst())
    #expect(AlertLost.judge(variant, plain: plain).map(\.sentence) == [])
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

  @Test("a find of lost alerts expects a push for each of them, whichever phones another play misses")
  func expectsAlerts() throws {
    let fault = "when: {pushType: alert}, limit: 2, then: {answer: TooManyRequests}"
    let variant = try MatchBackend.witness(of: .givesUp, faults: [fault])
    let failures = AlertLost.judge(variant, plain: try MatchBackend.plain(of: .givesUp))
    #expect(failures.map(\.expectation?["count"]) == ["3.."])
    #expect(failures.first?.expectation?["pushes"]?["status"] == 200)
  }

  @Test("a backend that was asked for something twice may tell it twice")
  func askedTwice() throws {
    let delay = "when: {pushType: alert}, limit: 1, then: {delay: 9s}"
    let follow = "when: {device: d2}, from: 230s, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}"
    let plain = try MatchBackend.plain(of: .isImpatient)
    let told = try MatchBackend.witness(of: .isImpatient, faults: [delay])
    #expect(AlertTwice.judge(told, plain: plain).count == 1)
    let asked = try MatchBackend.witness(of: .isImpatient, faults: [delay, follow])
    #expect(asked.calls.contains { $0.event == "action.follow" })
    #expect(AlertTwice.judge(asked, plain: plain).map(\.sentence) == [])
  }

  /// A profile whose app tells its backend that it was opened, and shows notifications while it is open.
  private static func profile(in folder: TemporaryFolder) throws -> String {
    let shipped = try #require(ShippedProfile.all.first { $0.name == "sightscreen" }).text
    let opened = #"    foreground: [{url: "{{backend}}/opened", json: {}}]"#
    let text = "presentsInForeground: true\n" + shipped.replacing("  on:\n", with: "  on:\n\(opened)\n")
    return try folder.file("opened.yaml", text)
  }

  @Test("a backend may answer each opening of an app, and owes nothing for one that it was not told")
  func opened() throws {
    let folder = try TemporaryFolder()
    let profile = try Self.profile(in: folder)
    let delay = "when: {pushType: alert}, limit: 1, then: {delay: 9s}"
    let open = "when: {device: d0}, from: 242s, then: {devices: {do: open}}"
    let plain = try MatchBackend.witness(of: .isImpatient, profile: profile)
    let told = try MatchBackend.witness(of: .isImpatient, faults: [delay], profile: profile)
    #expect(AlertTwice.judge(told, plain: plain).count == 1)
    let opened = try MatchBackend.witness(of: .isImpatient, faults: [delay, open], profile: profile)
    #expect(opened.calls.count { $0.event == "foreground" } == plain.calls.count { $0.event == "foreground" } + 1)
    #expect(AlertTwice.judge(opened, plain: plain).map(\.sentence) == [])
    // In the instant of the alert, which it may have caused; told twice, it may have caused both.
    let cause = "when: {device: d0}, from: 240s, then: {devices: {do: open}}"
    let once = try MatchBackend.witness(of: .isImpatient, faults: [delay, cause], profile: profile)
    #expect(AlertTwice.judge(once, plain: plain).count == 1)
    let double = ["reports.trouble.double: 100%"]
    let twice = try MatchBackend.witness(of: .isImpatient, faults: [delay, cause], settings: double, profile: profile)
    #expect(AlertTwice.judge(twice, plain: plain).map(\.sentence) == [])
    // The alert to d0 may be about somebody else who has opened the app.
    let other = "when: {device: d1}, from: 242s, then: {devices: {do: open}}"
    let others = try MatchBackend.witness(of: .isImpatient, faults: [delay, other], profile: profile)
    #expect(AlertTwice.judge(others, plain: plain).map(\.sentence) == [])
    let refused = Self.lastUpdate + ", then: {answer: TooManyRequests}"
    let silence = "when: {device: d2, event: foreground}, then: {calls: lose}"
    let before = try MatchBackend.witness(of: .givesUp, profile: profile)
    let lost = try MatchBackend.witness(of: .givesUp, faults: [refused], profile: profile)
    #expect(LastStateLost.judge(lost, plain: before).count == 1)
    let untold = try MatchBackend.witness(of: .givesUp, faults: [refused, silence], profile: profile)
    #expect(LastStateLost.judge(untold, plain: before).map(\.sentence) == [])
  }

  @Test("a push that a fault may have held on its way is not blamed on its backend")
  func held() throws {
    let delay = "when: {pushType: alert}, limit: 1, then: {delay: 9s}"
    let hasty = "when: {event: update}, limit: 1, then: {answer: TooManyRequests, retryAfter: 20}"
    for (bug, fault) in [(MatchBackend.Bug.isImpatient, delay), (.isHasty, hasty)] {
      let plain = try MatchBackend.plain(of: bug)
      let told = try MatchBackend.witness(of: bug, faults: [fault])
      #expect(!Oracles.judge(told, plain: plain).isEmpty)
      let freeze = "when: {skip: 999}, limit: 1, then: {freeze: true}"
      let held = try MatchBackend.witness(of: bug, faults: [fault, freeze])
      #expect(Oracles.judge(held, plain: plain).map(\.sentence) == [])
    }
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

  @Test("a token that was called bad once may be tried again until the trial has an answer")
  func triedAgain() throws {
    let faults = [
      Self.lastUpdate + ", then: {answer: BadDeviceToken}",
      "when: {device: d2, event: update, skip: 3}, limit: 4, then: {answer: TooManyRequests}",
    ]
    let variant = try MatchBackend.witness(faults: faults)
    #expect(variant.findings.count { $0.kind == .refusedToken } >= 3)
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain()).map(\.sentence) == [])
  }

  @Test(
    "a backend that waits by its own clock, or for the next tick, is not hasty, though the phones' time stands",
    arguments: [MatchBackend.Bug.waitsByItsClock, .waitsForTheTick])
  func waits(bug: MatchBackend.Bug) throws {
    let fault = "when: {event: update}, limit: 1, then: {answer: TooManyRequests, retryAfter: 5}"
    let variant = try MatchBackend.witness(of: bug, faults: [fault])
    #expect(variant.findings.contains { $0.kind == .hastyRetry })
    #expect(BackendFindings.judge(variant, plain: try MatchBackend.plain(of: bug)) == [])
  }

  @Test("a backend may give up an update that was refused again and again")
  func tried() throws {
    let fault = "when: {device: d2, event: update, skip: 3}, then: {answer: TooManyRequests}"
    let variant = try MatchBackend.witness(faults: [fault])
    let plain = try MatchBackend.plain()
    #expect(variant.lines != plain.lines)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a card is behind only when its backend has had a minute and a half")
  func soon() throws {
    let faults = [Self.lastUpdate + ", then: {answer: TooManyRequests}"]
    func failures(after seconds: Int) throws -> Int {
      let length = Duration.seconds(600 + seconds)
      let variant = try MatchBackend.witness(of: .givesUp, faults: faults, length: length)
      return LastStateLost.judge(variant, plain: try MatchBackend.witness(of: .givesUp, length: length)).count
    }
    #expect(try failures(after: 85) == 0)
    #expect(try failures(after: 95) == 1)
  }

  @Test("a backend that has ended is told of nothing else")
  func ended() throws {
    let plain = try MatchBackend.plain(of: .givesUp)
    var play = try Play()
    play.pass(until: .seconds(60))
    let failures = Oracles.judge(play.witness(ended: "The backend ended with code 1."), plain: plain)
    #expect(failures.map(\.sentence) == ["The backend ended with code 1."])
    #expect(failures.map(\.group.oracle) == ["backendFails"])
  }

  @Test(
    "an alert that is sent again for a reason is not told",
    arguments: [
      "when: {pushType: alert}, limit: 1, then: {loseAnswer: CANCEL}",
      "when: {pushType: alert}, limit: 1, then: {silence: true}",
      "when: {pushType: alert}, limit: 1, then: {delay: 30s}",
      "when: {pushType: alert}, limit: 1, then: {arrival: double}",
    ])
  func reason(fault: String) throws {
    let plain = try MatchBackend.plain(of: .isImpatient)
    let variant = try MatchBackend.witness(of: .isImpatient, faults: [fault])
    #expect(AlertTwice.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a backend may forget a token that is called dead in the instant in which it is registered")
  func deadAtOnce() throws {
    // The app reports the token of its card between two updates, and the backend sends the score at once.
    let faults = [
      "when: {device: d2}, from: 20s, then: {devices: {do: open}}",
      "when: {event: activityToken, device: d2}, limit: 1, then: {calls: {delay: 150s}}",
      "when: {device: d2, tokenKind: update}, limit: 1, then: {answer: Unregistered}",
    ]
    let variant = try MatchBackend.witness(faults: faults)
    let refused = try #require(variant.pushes.first { $0.status == 410 })
    #expect(variant.reports(of: refused.token).map(\.accepted) == [refused.at])
    let plain = try MatchBackend.plain()
    #expect(variant.lines != plain.lines)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a backend may renew its provider token in the middle of a play")
  func renewal() throws {
    let once = try MatchBackend.witness(of: .renewsOnce)
    #expect(once.findings.count { $0.kind == .providerTokenRenewed } == 1)
    let plain = try MatchBackend.plain()
    #expect(Oracles.judge(plain: once) == [] && Oracles.judge(once, plain: plain) == [])
  }

  @Test("a backend may leave alone a token that was called bad, though the app reports it again")
  func badForGood() throws {
    let faults = [
      "when: {device: d2, event: update, skip: 2}, limit: 1, then: {answer: BadDeviceToken}",
      "when: {device: d2}, from: 400s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}",
    ]
    let variant = try MatchBackend.witness(of: .shunsBadTokens, faults: faults)
    let refused = try #require(variant.pushes.first { $0.status == 400 })
    #expect(variant.reports(of: refused.token).last.map { refused.at < $0.began } == true)
    #expect(variant.pushes(to: refused.token).last?.status == 400)
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain(of: .shunsBadTokens)).map(\.sentence) == [])
  }

  @Test("a token is not dead after a 410 that is older than its registration")
  func oldEnd() throws {
    let fault = "when: {device: d0, tokenKind: update}, then: {answer: Unregistered, age: 30d}"
    let variant = try MatchBackend.witness(of: .ignores410, faults: [fault])
    let plain = try MatchBackend.plain(of: .ignores410)
    #expect(DeadTokenPushed.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("oracles have names of their own, and say in a sentence what they find")
  func names() {
    #expect(Set(Oracles.all.map { $0.name }).count == Oracles.all.count)
    for oracle in Oracles.all { #expect(oracle.meaning.hasSuffix(".") && oracle.meaning.count < 120) }
  }
}
