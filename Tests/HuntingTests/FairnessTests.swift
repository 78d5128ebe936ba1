import APNs
import Reporting
import Simulation
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
      "then: {arrival: lose}", "then: {answer: TooManyProviderTokenUpdates}",
    ])
  func done(consequence: String) throws {
    let plain = try MatchBackend.plain(of: .givesUp)
    let variant = try MatchBackend.witness(of: .givesUp, faults: [OracleTests.lastUpdate + ", " + consequence])
    #expect(Oracles.judge(variant, plain: plain).map(\.sentence) == [])
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

  @Test(
    "a backend that waits by its own clock, or for the next tick, is not hasty, though the phones' time stands",
    arguments: [MatchBackend.Bug.waitsByItsClock, .waitsForTheTick])
  func waits(bug: MatchBackend.Bug) throws {
    let fault = "when: {event: update}, limit: 1, then: {answer: TooManyRequests, retryAfter: 5}"
    let variant = try MatchBackend.witness(of: bug, faults: [fault])
    #expect(variant.findings.contains { $0.kind == .hastyRetry })
    #expect(BackendFindings.judge(variant, plain: try MatchBackend.plain(of: bug)) == [])
  }

  /// Two cards with the same attributes that come to these scores, step by step, started in this order.
  private static func cards(scores: [Int64], faults: [String] = []) throws -> Witness {
    var play = try Play(faults: faults, devices: 1)
    play.pass(until: .seconds(30))
    let start = try #require(try play.reported("token", with: "pushToStartToken").last)
    func payload(_ event: String, _ score: Int64, at now: Instant) -> JSONValue {
      [
        "aps": [
          "event": .string(event), "timestamp": .integer(now.seconds), "attributes-type": "MatchAttributes",
          "attributes": ["matchId": "m1"], "alert": ["title": "Kick-off", "body": "MI v CSK"],
          "content-state": [
            "matchDisplayState": "live", "compactLeading": ["teamAbbr": "MI", "score": .string("\(score)")],
            "compactTrailing": ["overs": "1", "runRate": "6"],
          ],
        ]
      ]
    }
    for _ in scores {
      _ = try play.push(payload("start", 0, at: play.now.world), to: start)
      play.pass(until: play.passed + .seconds(10))
    }
    for (token, last) in zip(try play.reported("token", with: "activityToken"), scores) {
      for score in 1...last {
        _ = try play.push(payload("update", score, at: play.now.world), to: token)
        play.pass(until: play.passed + .seconds(10))
      }
    }
    play.pass(until: .seconds(600))
    return play.witness()
  }

  @Test("two cards about one thing may be started in another order")
  func order() throws {
    let plain = try Self.cards(scores: [4, 2])
    #expect(plain.pushes.count { $0.kind == "update" && $0.status == 200 } == 6)
    #expect(LastStateLost.judge(try Self.cards(scores: [2, 4]), plain: plain).map(\.sentence) == [])
    #expect(LastStateLost.judge(try Self.cards(scores: [1, 4]), plain: plain).count == 1)
    // Each misses its last update, which APNs has taken.
    func lost(_ scores: [Int64], _ places: (skipped: Int, count: Int)...) throws -> [String] {
      let faults = places.map {
        "when: {event: update, skip: \($0.skipped)}, limit: \($0.count), then: {arrival: lose}"
      }
      return LastStateLost.judge(try Self.cards(scores: scores, faults: faults), plain: plain).map(\.sentence)
    }
    #expect(try lost([2, 4], (1, 1), (5, 1)) == [] && lost([4, 2], (2, 2)) == [])
    // Both show the same: the one that lags behind, and the other one.
    #expect(try lost([2, 4], (4, 2)) == [])
    let double = try Self.cards(scores: [4, 2], faults: ["when: {event: start}, limit: 1, then: {arrival: double}"])
    #expect(double.installs[0].cards.count == 3)
    #expect(StartedTwice.judge(double, plain: plain).map(\.sentence) == [])
  }

  @Test("a start that has expired need not be sent again")
  func expired() throws {
    let refused = "when: {event: start, device: d2}, limit: 1, then: {reset: REFUSED_STREAM}"
    let variant = try MatchBackend.witness(of: .startsExpire, faults: [refused])
    #expect(variant.pushes.count(where: \.isStart) == 3)
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain(of: .startsExpire)).map(\.sentence) == [])
    let silent = try MatchBackend.witness(of: .givesUp, faults: [refused])
    #expect(LastStateLost.judge(silent, plain: try MatchBackend.plain(of: .givesUp)).count == 1)
  }

  @Test("a state that comes again later is not an old one")
  func toggled() throws {
    let refused = "when: {device: d2, event: update, skip: 1}, limit: 1, then: {answer: TooManyRequests}"
    let variant = try MatchBackend.witness(of: .toggles, faults: [refused])
    #expect(variant.findings.contains { $0.kind == .outOfOrder })
    #expect(Oracles.judge(variant, plain: try MatchBackend.plain(of: .toggles)).map(\.sentence) == [])
  }

  @Test("a backend need not replace a connection on which little was refused, or which is no worse than any other")
  func sick() throws {
    func lost(after skipped: Int, _ extent: String) throws -> [String] {
      let fault = "when: {skip: \(skipped)}, \(extent), then: {answerAll: InternalServerError}"
      let variant = try MatchBackend.witness(of: .keepsConnection, faults: [fault])
      return LastStateLost.judge(variant, plain: try MatchBackend.plain(of: .keepsConnection)).map(\.group.subject)
    }
    #expect(try lost(after: 9, "limit: 1").contains { $0.contains("on a connection that refuses everything") })
    // The fault begins less than a minute before the ends.
    #expect(try lost(after: 17, "limit: 1") == [])
    #expect(try lost(after: 9, "odds: 100%") == [])
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
