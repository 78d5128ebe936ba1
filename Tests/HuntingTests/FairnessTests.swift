import APNs
import Configuration
import Reporting
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Fairness of oracles")
struct FairnessTests {
  @Test("a right backend is told of nothing, whatever goes wrong", arguments: OracleTests.cases)
  func right(_ wrong: OracleTests.Case) throws {
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
    let early = "when: {device: d2, tokenKind: update}, limit: 1, then: {answer: Unregistered}"
    let soon = try MatchBackend.witness(of: .startsWhatIsGone, faults: [early])
    let starts = soon.pushes.filter { $0.isStart && $0.install == soon.installs.last?.id }
    #expect(starts.count == 2 && starts[0].at.duration(to: starts[1].at) < .seconds(120))
    #expect(StartedTwice.judge(soon, plain: plain).map(\.sentence) == [])
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
    let lost = OracleTests.lastUpdate + ", then: {answer: TooManyRequests}"
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
    let variant = try MatchBackend.witness(of: .givesUp, faults: [OracleTests.lastUpdate + ", " + consequence])
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
        "then: {answer: TooManyRequests}",
        "when: {device: d1}, from: 5m, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}",
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
    // What somebody else did, as without trouble, may be news for everybody.
    let other = "when: {device: d1}, from: 242s, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}"
    let usual = try MatchBackend.witness(of: .isImpatient, faults: [other])
    let news = try MatchBackend.witness(of: .isImpatient, faults: [delay, other])
    #expect(AlertTwice.judge(news, plain: usual).map(\.sentence) == [])
    // What comes later than without trouble may come too late.
    func isAskedForTheSame(late seconds: Int) throws -> Bool {
      let late = "when: {event: action.follow}, then: {calls: {delay: \(seconds)s}}"
      return try MatchBackend.witness(of: .isImpatient, faults: [other, late]).wasAskedForTheSame(as: usual)
    }
    #expect(try isAskedForTheSame(late: 3) && !isAskedForTheSame(late: 20))
    // An act counts, too, if only its answer was lost.
    let lost = "when: {event: action.follow}, then: {calls: loseAnswer}"
    let unanswered = try MatchBackend.witness(of: .isImpatient, faults: [delay, follow, lost])
    #expect(unanswered.calls.contains { $0.event == "action.follow" && !$0.outcome.isSuccess })
    #expect(AlertTwice.judge(unanswered, plain: plain).map(\.sentence) == [])
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
    let noAnswer = "when: {device: d0, event: foreground}, from: 241s, then: {calls: loseAnswer}"
    let unanswered = try MatchBackend.witness(of: .isImpatient, faults: [delay, open, noAnswer], profile: profile)
    #expect(AlertTwice.judge(unanswered, plain: plain).map(\.sentence) == [])
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
    let refused = OracleTests.lastUpdate + ", then: {answer: TooManyRequests}"
    let silence = "when: {device: d2, event: foreground}, then: {calls: lose}"
    let before = try MatchBackend.witness(of: .givesUp, profile: profile)
    let lost = try MatchBackend.witness(of: .givesUp, faults: [refused], profile: profile)
    #expect(LastStateLost.judge(lost, plain: before).count == 1)
    let untold = try MatchBackend.witness(of: .givesUp, faults: [refused, silence], profile: profile)
    #expect(LastStateLost.judge(untold, plain: before).map(\.sentence) == [])
  }

  @Test("a backend may have nothing to say to who has opened the app once more")
  func busy() throws {
    let folder = try TemporaryFolder()
    let profile = try Self.profile(in: folder)
    let plain = try MatchBackend.witness(of: .sparesTheBusy, profile: profile)
    let open = "when: {device: d2}, from: 20s, then: {devices: {do: open}}"
    let variant = try MatchBackend.witness(of: .sparesTheBusy, faults: [open], profile: profile)
    #expect(variant.pushes.count(where: \.isStart) == plain.pushes.count(where: \.isStart) - 1)
    #expect(variant.pushes.count { $0.kind == "alert" } == plain.pushes.count { $0.kind == "alert" } - 1)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
    let user = try #require(variant.installs.last?.user)
    #expect(variant.mayOweLess(to: user, than: plain) && !plain.mayOweLess(to: user, than: plain))
  }

  @Test("a backend may know from a report of a token that an app was opened")
  func visited() throws {
    let faults = [
      "when: {device: d1}, from: 100s, then: {devices: {do: rotate, kind: device}}",
      "when: {device: d1}, from: 105s, then: {devices: {do: open}}",
    ]
    func owesLess(_ share: String) throws -> Int {
      let settings = ["fleet.mix.twoPhones: \(share)"]
      let plain = try MatchBackend.witness(settings: settings, devices: 4)
      let variant = try MatchBackend.witness(faults: faults, settings: settings, devices: 4)
      return variant.installs.count { variant.mayOweLess(to: $0.user, than: plain) }
    }
    #expect(try owesLess("0%") == 1)
    // On either phone of a person.
    #expect(try owesLess("100%") == 2)
    // An app that was left may be taken for one that is open, if a call is late.
    let late = "when: {event: deviceToken}, limit: 1, then: {calls: {delay: 1s}}"
    let unsure = try MatchBackend.witness(faults: [late])
    let plain = try MatchBackend.plain()
    #expect(unsure.installs.allSatisfy { unsure.mayOweLess(to: $0.user, than: plain) })
  }

  @Test("after a leap of the clock, news may come again or be too old")
  func leap() throws {
    let delay = "when: {pushType: alert}, limit: 1, then: {delay: 9s}"
    let plain = try MatchBackend.plain(of: .isImpatient)
    func variant(leapAt seconds: Int) throws -> Witness {
      try MatchBackend.witness(of: .isImpatient, faults: [delay], steps: ["{at: \(seconds)s, clock: 60s}"])
    }
    #expect(AlertTwice.judge(try variant(leapAt: 600), plain: plain).count == 1)
    let refused = "when: {device: d2, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
    let silent = try MatchBackend.plain(of: .givesUp)
    for (seconds, count) in [(250, 0), (700, 1)] {
      let lost = try MatchBackend.witness(of: .givesUp, faults: [refused], steps: ["{at: \(seconds)s, clock: 60s}"])
      #expect(AlertLost.judge(lost, plain: silent).count == count)
    }
    let leapt = try variant(leapAt: 242)
    #expect(AlertTwice.judge(leapt, plain: plain).map(\.sentence) == [])
    let user = try #require(leapt.installs.first?.user)
    #expect(leapt.mayOweLess(to: user, than: plain) && !leapt.mayOweLess(to: user, than: leapt))
  }

  @Test("a backend may leave out an alert that trouble has brought too close to the one before")
  func rarely() throws {
    let refused = "when: {device: d2, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
    let plain = try MatchBackend.plain(of: .alertsRarely)
    let variant = try MatchBackend.witness(of: .alertsRarely, faults: [refused])
    func taken(_ witness: Witness) -> Int { witness.pushes.count { $0.kind == "alert" && $0.status == 200 } }
    #expect(taken(variant) == taken(plain) - 1)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("an alert is not lost if the app gets another one with its card")
  func newerNews() throws {
    // The update with an alert comes after the alert that was refused.
    let refused = "when: {device: d2, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
    let late = "when: {event: update, device: d2, skip: 1}, limit: 1, then: {answer: TooManyRequests, retryAfter: 80}"
    let plain = try MatchBackend.plain(of: .givesUpAlerts)
    let lost = try MatchBackend.witness(of: .givesUpAlerts, faults: [refused])
    #expect(AlertLost.judge(lost, plain: plain).count == 1)
    let told = try MatchBackend.witness(of: .givesUpAlerts, faults: [refused, late])
    #expect(told.pushes.last { $0.alert != nil && $0.install == told.installs.last?.id }?.kind == "update")
    #expect(AlertLost.judge(told, plain: plain).map(\.sentence) == [])
  }

  @Test("an alert is not lost if the next person gets it")
  func passedOn() throws {
    func lost(by bug: MatchBackend.Bug, on device: String) throws -> Int {
      let refused = "when: {device: \(device), pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
      return AlertLost.judge(
        try MatchBackend.witness(of: bug, faults: [refused]), plain: try MatchBackend.plain(of: bug)
      ).count
    }
    #expect(try lost(by: .givesUp, on: "d0") == 1 && lost(by: .offersInTurn, on: "d0") == 0)
    // Nobody comes after the last.
    #expect(try lost(by: .offersInTurn, on: "d2") == 1)
  }

  @Test("an alert is not lost if it was read on another phone of the same person")
  func readElsewhere() throws {
    let folder = try TemporaryFolder()
    let profile = try Self.profile(in: folder)
    func lost(twoPhones share: String, opening device: String?) throws -> Int {
      let settings = ["fleet.mix.twoPhones: \(share)"]
      let refused = "when: {device: d0, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
      let open = device.map { ["when: {device: \($0)}, from: 250s, then: {devices: {do: open}}"] } ?? []
      let plain = try MatchBackend.witness(of: .givesUp, settings: settings, devices: 4, profile: profile)
      let variant = try MatchBackend.witness(
        of: .givesUp, faults: [refused] + open, settings: settings, devices: 4, profile: profile)
      return AlertLost.judge(variant, plain: plain).count
    }
    #expect(try lost(twoPhones: "100%", opening: nil) == 1 && lost(twoPhones: "100%", opening: "d1") == 0)
    #expect(try lost(twoPhones: "100%", opening: "d2") == 1 && lost(twoPhones: "0%", opening: "d1") == 1)
  }

  @Test("a push that a fault may have held on its way is not blamed on its backend")
  func held() throws {
    let delay = "when: {pushType: alert}, limit: 1, then: {delay: 9s}"
    let hasty = "when: {event: update}, limit: 1, then: {answer: TooManyRequests, retryAfter: 20}"
    for (bug, fault) in [(MatchBackend.Bug.isImpatient, delay), (.isHasty, hasty)] {
      let plain = try MatchBackend.plain(of: bug)
      let told = try MatchBackend.witness(of: bug, faults: [fault])
      #expect(!Oracles.judge(told, plain: plain).isEmpty)
      func withStreams(skip: Int) throws -> [HuntFailure] {
        let streams = "when: {skip: \(skip)}, limit: 1, then: {streams: 1000}"
        return Oracles.judge(try MatchBackend.witness(of: bug, faults: [fault, streams]), plain: plain)
      }
      #expect(try withStreams(skip: 0).map(\.sentence) == [])
      #expect(try !withStreams(skip: 999).isEmpty)
    }
  }

  @Test("a token that was called bad once may be tried again until the trial has an answer")
  func triedAgain() throws {
    let faults = [
      OracleTests.lastUpdate + ", then: {answer: BadDeviceToken}",
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
    let faults = [OracleTests.lastUpdate + ", then: {answer: TooManyRequests}"]
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
    #expect(variant.reports(of: refused.token).map(\.ended) == [refused.at])
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
    let often = try MatchBackend.witness(
      of: .renewsOften, settings: ["rules: {tokenUpdatesAllowed: 16, tokenUpdateWindow: 10s}"])
    for (usual, most) in [(plain, 2), (once, 3)] {
      let failure = Oracles.judge(often, plain: usual).first { $0.group.subject == "providerTokenRenewed" }
      #expect(failure?.expectation?["count"] == .string("0..\(most)"))
    }
  }

  @Test("a backend may forget an app with its cards when its device token is called dead")
  func deadApp() throws {
    let dead = "when: {device: d2, tokenKind: device}, limit: 1, then: {answer: Unregistered}"
    let plain = try MatchBackend.plain(of: .forgetsTheApp)
    let variant = try MatchBackend.witness(of: .forgetsTheApp, faults: [dead])
    #expect(variant.pushes.count == plain.pushes.count - 2)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
    // Not a token that was reported since, after a 410 for itself or for another token of its app.
    let device = try #require(variant.installs.last)
    for token in [try #require(device.cards.last?.token), try #require(device.deviceToken)] {
      #expect(variant.mayForget(token, of: device.id))
    }
    let launch = "when: {device: d2}, from: 250s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}"
    let again = try MatchBackend.witness(of: .forgetsTheApp, faults: [dead, launch])
    let registered = try #require(again.installs.last?.deviceToken)
    #expect(!again.mayForget(registered, of: device.id))
  }

  @Test("a push that was refused before its token was looked up is one of its phone")
  func refusedAtOnce() throws {
    let variant = try MatchBackend.witness(of: .renewsOften)
    let refused = variant.pushes.filter { $0.reason == .tooManyProviderTokenUpdates }
    #expect(refused.contains { $0.isStart && $0.record.address == nil && $0.install != nil })
    // Such a push may be given up, so its start is not one that was never sent.
    #expect(LastStateLost.judge(variant, plain: try MatchBackend.plain()).map(\.sentence) == [])
  }

  @Test("a push that has waited in a queue may go to a token that was replaced meanwhile")
  func queued() throws {
    func failures(rotatedAt seconds: Int) throws -> [HuntFailure] {
      let faults = [
        "when: {device: d2}, from: \(seconds)s, then: {devices: {do: rotate, kind: device}}",
        "when: {device: d2}, from: \(seconds + 5)s, then: {devices: {do: open}}",
        // Trouble to the end, so that another oracle does not name it better.
        "when: {device: d1, pushType: alert}, from: 500s, limit: 1, then: {answer: TooManyRequests}",
      ]
      let variant = try MatchBackend.witness(of: .keepsDeviceTokens, faults: faults)
      #expect(variant.findings.contains { $0.kind == .replacedToken })
      return BackendFindings.judge(variant, plain: try MatchBackend.plain(of: .keepsDeviceTokens))
    }
    #expect(try failures(rotatedAt: 250).map(\.sentence) == [])
    #expect(try failures(rotatedAt: 190).map(\.group.subject) == ["replacedToken"])
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

  @Test("a token may be pushed to again if the answer to its registration was lost")
  func registeredUnheard() throws {
    let dead = "when: {device: d0, tokenKind: update}, then: {answer: Unregistered}"
    let crash = "when: {device: d0}, from: 150s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}"
    let unheard = "when: {event: activityToken, device: d0}, from: 150s, then: {calls: loseAnswer}"
    let plain = try MatchBackend.plain(of: .ignores410)
    let told = try MatchBackend.witness(of: .ignores410, faults: [dead])
    #expect(DeadTokenPushed.judge(told, plain: plain).count == 1)
    let variant = try MatchBackend.witness(of: .ignores410, faults: [dead, crash, unheard])
    let token = try #require(variant.pushes.first { $0.status == 410 }?.token)
    #expect(variant.attempts(toReport: token).count > variant.reports(of: token).count)
    #expect(DeadTokenPushed.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("a play of which a log has lost the beginning is not judged")
  func incomplete() throws {
    let wrong = OracleTests.cases[0]
    let plain = try MatchBackend.plain(of: wrong.bug)
    let whole = try MatchBackend.witness(of: wrong.bug, faults: wrong.faults)
    #expect(whole.isComplete && !Oracles.judge(whole, plain: plain).isEmpty && Oracles.judges(whole, plain: plain))
    // The app reports tokens at each launch.
    let launches = (0..<10).map { round in
      "when: {device: d0}, from: \(13 * 60 + 20 * round)s, for: 10s, then: {devices: {do: crash}, heal: {do: open}}"
    }
    let busy = try MatchBackend.witness(of: wrong.bug, faults: wrong.faults + launches)
    #expect(busy.calls.count > busy.pushes.count && !Oracles.judge(busy, plain: plain).isEmpty)
    let short = try MatchBackend.witness(
      of: wrong.bug, faults: wrong.faults + launches, logCapacity: busy.pushes.count)
    #expect(short.pushes.count == busy.pushes.count && !short.isComplete)
    #expect(Oracles.judge(short, plain: plain).isEmpty && !Oracles.judges(short, plain: plain))
  }
}
