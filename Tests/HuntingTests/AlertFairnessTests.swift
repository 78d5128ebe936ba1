import APNs
import Configuration
import Reporting
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@testable import Hunting

@Suite("Fairness of oracles about alerts")
struct AlertFairnessTests {
  /// Refuses the alert to the last phone once.
  private static let refused = "when: {device: d2, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
  /// Answers the first alert late, so that an impatient backend sends it again.
  private static let delay = "when: {pushType: alert}, limit: 1, then: {delay: 9s}"

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
    let follow = "when: {device: d2}, from: 230s, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}"
    let plain = try MatchBackend.plain(of: .isImpatient)
    let told = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay])
    #expect(AlertTwice.judge(told, plain: plain).count == 1)
    let asked = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, follow])
    #expect(asked.calls.contains { $0.event == "action.follow" })
    #expect(AlertTwice.judge(asked, plain: plain).map(\.sentence) == [])
    // What somebody else did, as without trouble, may be news for everybody.
    let other = "when: {device: d1}, from: 242s, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}"
    let usual = try MatchBackend.witness(of: .isImpatient, faults: [other])
    let news = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, other])
    #expect(AlertTwice.judge(news, plain: usual).map(\.sentence) == [])
    // What comes later than without trouble may come too late.
    func isAskedForTheSame(late seconds: Int) throws -> Bool {
      let late = "when: {event: action.follow}, then: {calls: {delay: \(seconds)s}}"
      return try MatchBackend.witness(of: .isImpatient, faults: [other, late]).wasAskedForTheSame(as: usual)
    }
    #expect(try isAskedForTheSame(late: 3) && !isAskedForTheSame(late: 20))
    // An act counts, too, if only its answer was lost.
    let lost = "when: {event: action.follow}, then: {calls: loseAnswer}"
    let unanswered = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, follow, lost])
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
    let open = "when: {device: d0}, from: 242s, then: {devices: {do: open}}"
    let plain = try MatchBackend.witness(of: .isImpatient, profile: profile)
    let told = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay], profile: profile)
    #expect(AlertTwice.judge(told, plain: plain).count == 1)
    let opened = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, open], profile: profile)
    #expect(opened.calls.count { $0.event == "foreground" } == plain.calls.count { $0.event == "foreground" } + 1)
    #expect(AlertTwice.judge(opened, plain: plain).map(\.sentence) == [])
    let noAnswer = "when: {device: d0, event: foreground}, from: 241s, then: {calls: loseAnswer}"
    let unanswered = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, open, noAnswer], profile: profile)
    #expect(AlertTwice.judge(unanswered, plain: plain).map(\.sentence) == [])
    // In the instant of the alert, which it may have caused; told twice, it may have caused both.
    let cause = "when: {device: d0}, from: 240s, then: {devices: {do: open}}"
    let once = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, cause], profile: profile)
    #expect(AlertTwice.judge(once, plain: plain).count == 1)
    let double = ["reports.trouble.double: 100%"]
    let twice = try MatchBackend.witness(
      of: .isImpatient, faults: [Self.delay, cause], settings: double, profile: profile)
    #expect(AlertTwice.judge(twice, plain: plain).map(\.sentence) == [])
    // The alert to d0 may be about somebody else who has opened the app.
    let other = "when: {device: d1}, from: 242s, then: {devices: {do: open}}"
    let others = try MatchBackend.witness(of: .isImpatient, faults: [Self.delay, other], profile: profile)
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
    #expect(variant.pushes.count { $0.kind == "alert" } == plain.pushes.count { $0.kind == "alert" } - 2)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
    // Though something has gone wrong before.
    let lost = "when: {device: d2, pushType: alert}, limit: 1, then: {loseAnswer: CANCEL}"
    let later = "when: {device: d2}, from: 400s, then: {devices: {do: open}}"
    let silent = try MatchBackend.witness(of: .sparesTheBusy, faults: [lost, later], profile: profile)
    #expect(silent.pushes.count { $0.kind == "alert" } == plain.pushes.count { $0.kind == "alert" } - 1)
    #expect(Oracles.judge(silent, plain: plain).map(\.sentence) == [])
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
    let plain = try MatchBackend.plain(of: .isImpatient)
    func variant(leapAt seconds: Int) throws -> Witness {
      try MatchBackend.witness(of: .isImpatient, faults: [Self.delay], steps: ["{at: \(seconds)s, clock: 60s}"])
    }
    #expect(AlertTwice.judge(try variant(leapAt: 600), plain: plain).count == 1)
    let silent = try MatchBackend.plain(of: .givesUp)
    for (seconds, count) in [(250, 0), (700, 1)] {
      let lost = try MatchBackend.witness(
        of: .givesUp, faults: [Self.refused], steps: ["{at: \(seconds)s, clock: 60s}"])
      #expect(AlertLost.judge(lost, plain: silent).count == count)
    }
    let leapt = try variant(leapAt: 242)
    #expect(AlertTwice.judge(leapt, plain: plain).map(\.sentence) == [])
    let user = try #require(leapt.installs.first?.user)
    #expect(leapt.mayOweLess(to: user, than: plain) && !leapt.mayOweLess(to: user, than: leapt))
  }

  @Test("a backend may leave out an alert that trouble has brought too close to the one before")
  func rarely() throws {
    let plain = try MatchBackend.plain(of: .alertsRarely)
    let variant = try MatchBackend.witness(of: .alertsRarely, faults: [Self.refused])
    func taken(_ witness: Witness) -> Int { witness.pushes.count { $0.kind == "alert" && $0.status == 200 } }
    #expect(taken(variant) == taken(plain) - 1)
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
    // Or to anybody.
    let first = "when: {device: d0, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
    let usual = try MatchBackend.plain(of: .alertsAllRarely)
    let late = try MatchBackend.witness(of: .alertsAllRarely, faults: [first])
    #expect(taken(late) == taken(usual) - 3)
    #expect(Oracles.judge(late, plain: usual).map(\.sentence) == [])
  }

  @Test("a backend may go on with the phone of a person that it has reached")
  func otherPhone() throws {
    let two = ["fleet.mix.twoPhones: 100%"]
    let refused = "when: {device: d0, pushType: alert}, limit: 1, then: {answer: TooManyRequests}"
    let plain = try MatchBackend.witness(of: .movesToOtherPhone, settings: two, devices: 4)
    let variant = try MatchBackend.witness(of: .movesToOtherPhone, faults: [refused], settings: two, devices: 4)
    func alerts(_ witness: Witness) -> [Int] {
      witness.installs.map { install in witness.pushes.count { $0.kind == "alert" && $0.install == install.id } }
    }
    #expect(alerts(plain) == [4, 0, 4, 0] && alerts(variant) == [1, 4, 4, 0])
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
    let start = "when: {device: d0, event: start}, limit: 1, then: {answer: TooManyRequests}"
    let moved = try MatchBackend.witness(of: .movesToOtherPhone, faults: [start], settings: two, devices: 4)
    #expect(moved.installs.map(\.cards.count) == [0, 1, 1, 0])
    #expect(Oracles.judge(moved, plain: plain).map(\.sentence) == [])
  }

  @Test("joined news may have the words of news that is due later")
  func joined() throws {
    let plain = try MatchBackend.plain(of: .joinsAlerts)
    let variant = try MatchBackend.witness(of: .joinsAlerts, faults: [Self.refused])
    let twice = variant.news.filter { $0.key.alert == ["title": "2 new"] }.mapValues(\.count)
    #expect(twice.values.sorted() == [1, 1, 2])
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
  }

  @Test("two alerts with the same words about two things are no retry")
  func twoThings() throws {
    let variant = try MatchBackend.witness(of: .tellsTwoThings, faults: [Self.refused])
    #expect(variant.findings.contains { $0.kind == .hastyRetry })
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain(of: .tellsTwoThings)).map(\.sentence) == [])
  }

  @Test("an alert is not lost if the app soon gets another one with its card")
  func newerNews() throws {
    // The update with an alert comes after the alert that was refused.
    let late = "when: {event: update, device: d2, skip: 1}, limit: 1, then: {answer: TooManyRequests, retryAfter: 80}"
    let plain = try MatchBackend.plain(of: .givesUpAlerts)
    let lost = try MatchBackend.witness(of: .givesUpAlerts, faults: [Self.refused])
    #expect(AlertLost.judge(lost, plain: plain).count == 1)
    let told = try MatchBackend.witness(of: .givesUpAlerts, faults: [Self.refused, late])
    let alerts = told.pushes.filter { $0.alert != nil && $0.install == told.installs.last?.id }
    #expect(alerts.suffix(3).map(\.kind) == ["alert", "update", "alert"])
    #expect(AlertLost.judge(told, plain: plain).map(\.sentence) == [])
    // Whatever becomes of that one.
    let never = "when: {event: update, device: d2, skip: 1}, then: {answer: TooManyRequests, retryAfter: 80}"
    let tried = try MatchBackend.witness(of: .givesUpAlerts, faults: [Self.refused, never])
    #expect(AlertLost.judge(tried, plain: plain).map(\.sentence) == [])
  }

  @Test("an alert is not lost if a later one has its collapse id, or comes before the quiet time allows to wait")
  func replacedLater() throws {
    func lost(by bug: MatchBackend.Bug, quiet: String = "") throws -> Int {
      let steps = quiet.isEmpty ? [] : [quiet]
      return AlertLost.judge(
        try MatchBackend.witness(of: bug, faults: [Self.refused], steps: steps),
        plain: try MatchBackend.witness(of: bug, steps: steps)
      ).count
    }
    #expect(try lost(by: .givesUpAlerts) == 1 && lost(by: .collapsesAlerts) == 0)
    #expect(try lost(by: .givesUpAlerts, quiet: "{at: 11m, deleteFault: all}") == 0)
    // What the person does within that time may settle it.
    let act = "when: {device: d2}, from: 8m, then: {devices: {do: use, action: follow, arguments: {matchId: m1}}}"
    func settled(quiet: String) throws -> Int {
      AlertLost.judge(
        try MatchBackend.witness(of: .givesUp, faults: [Self.refused, act], steps: [quiet]),
        plain: try MatchBackend.witness(of: .givesUp, faults: [act], steps: [quiet])
      ).count
    }
    #expect(try settled(quiet: "{at: 11m, deleteFault: all}") == 0)
    #expect(try settled(quiet: "{at: 19m, deleteFault: all}") == 1)
    #expect(try lost(by: .givesUpAlerts, quiet: "{at: 19m, deleteFault: all}") == 1)
  }

  @Test("an alert is not lost if the next person gets it")
  func passedOn() throws {
    func lost(by bug: MatchBackend.Bug, on device: String) throws -> Int {
      let refused = "when: {device: \(device), pushType: alert}, limit: 2, then: {answer: TooManyRequests}"
      return AlertLost.judge(
        try MatchBackend.witness(of: bug, faults: [refused]), plain: try MatchBackend.plain(of: bug)
      ).count
    }
    #expect(try lost(by: .givesUp, on: "d0") == 1 && lost(by: .offersInTurn, on: "d0") == 0)
    // Nobody comes after the last.
    #expect(try lost(by: .offersInTurn, on: "d2") == 1)
    // What is sent again to somebody else goes to nobody for the first time.
    let both = "when: {pushType: alert}, limit: 2, then: {answer: TooManyRequests}"
    let again = try MatchBackend.witness(of: .givesUpFirst, faults: [both])
    #expect(AlertLost.judge(again, plain: try MatchBackend.plain(of: .givesUpFirst)).count == 1)
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
}
