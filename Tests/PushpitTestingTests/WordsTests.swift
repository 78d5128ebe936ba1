import Testing

@testable import PushpitTesting

@Suite("The words of the library")
struct WordsTests {
  @Test("values of the library are written as the admin API reads them")
  func writing() {
    let fault = Pushpit.FaultOrder(
      .answer(.unregistered, age: .seconds(3600)), name: "gone", when: [.pushType(.alert), .skip(1)], limit: 2,
      for: .milliseconds(1500))
    #expect(
      fault.json == [
        "for": 1.5, "limit": 2, "name": "gone", "then": ["age": 3600, "answer": "Unregistered"],
        "when": ["pushType": "alert", "skip": 1],
      ])
    #expect(Pushpit.FaultOrder(.lose).json == ["then": ["lose": true]])
    #expect(Pushpit.Consequence.silence.json == ["silence": true])
    #expect(Pushpit.Consequence.loseAnswer(.cancel).json == ["loseAnswer": "CANCEL"])
    #expect(Pushpit.Consequence.freeze(pings: true).json == ["freeze": true, "pings": true])
    #expect(Pushpit.Consequence.delay(.seconds(2)).json == ["delay": 2])
    let delays: Pushpit.Delay = .lognormal(median: .milliseconds(200), p99: .seconds(3))
    #expect(
      Pushpit.Consequence.calls(delay: delays).json == ["calls": ["delay": ["median": 0.2, "p99": 3]]])
    #expect(
      Pushpit.Consequence.devices(.goOffline, heal: .goOnline).json
        == ["devices": ["do": "goOffline"], "heal": ["do": "goOnline"]])
    #expect(
      Pushpit.Action.permit(notifications: .denied).json == ["do": "permit", "notifications": "denied"])
    #expect(
      Pushpit.Action.startActivity(pushType: .neither, style: .transient).json
        == ["do": "startActivity", "pushType": "none", "style": "transient"])
  }

  @Test("expectations of the library are written as scenario files have them")
  func expectations() {
    let pushes = Pushpit.Expectation(
      .pushes(.sent(429), .event(.update)), count: .atLeast(2), none: .pushes(.cause(.focus)))
    #expect(
      pushes.json == ["count": "2..", "none": ["cause": "focus"], "pushes": ["event": "update", "sent": 429]])
    let screens = Pushpit.Expectation(
      .screens(.os("26")), show: [.cards(1), .card(.state(.stale), .contentState(["home": 1]))], on: .all)
    let card: JSON = ["contentState": ["home": 1], "state": "stale"]
    #expect(screens.json == ["on": "all", "screens": ["os": "26"], "show": ["card": card, "cards": 1]])
    let delays = Pushpit.Expectation(
      .delay(from: .pushes(), to: .events(.event(.locked))), count: .between(5...9),
      all: .between(.zero ... .seconds(10)))
    #expect(
      delays.json == [
        "all": "0s..10s", "count": "5..9", "delay": ["from": ["pushes": [:]], "to": ["events": ["event": "locked"]]],
      ])
  }

  @Test(
    "durations are written in seconds without an exponent",
    arguments: [
      (Duration.zero, "0"), (.seconds(90), "90"), (.milliseconds(1500), "1.5"), (.microseconds(10), "0.00001"),
      (.milliseconds(-250), "-0.25"), (.nanoseconds(1), "0.000000001"), (.seconds(Int64.min), "\(Int64.min)"),
    ])
  func durations(_ duration: Duration, text: String) {
    #expect(duration.seconds == text)
  }

  @Test("the server takes every word of the library")
  func words() async throws {
    let server = try await Pushpit.start(fleet: 1)
    for reason in Pushpit.Reason.allCases { try await server.fault(.answer(reason), name: "one") }
    for code in Pushpit.ErrorCode.allCases { try await server.fault(.goAway(code), name: "one") }
    for cause in Pushpit.Cause.allCases { #expect(try await server.pushes(.cause(cause)).isEmpty) }
    for fate in Pushpit.Fate.allCases { #expect(try await server.pushes(.fate(fate)).isEmpty) }
    for outcome in Pushpit.Outcome.allCases { #expect(try await server.pushes(.outcome(outcome)).isEmpty) }
    for kind in Pushpit.SentKind.allCases { #expect(try await server.pushes(.sent(kind)).isEmpty) }
    for kind in Pushpit.TokenKind.allCases { #expect(try await server.pushes(.tokenKind(kind)).isEmpty) }
    for process in Pushpit.Process.allCases { _ = try await server.phone("d0").log(process) }
    for what in Pushpit.Switch.allCases { try await attempt(.switch(what: what, on: true), on: server.phone("d0")) }
    for answer in Pushpit.Permission.allCases {
      try await attempt(.permit(notifications: answer), on: server.phone("d0"))
    }
    for event in Pushpit.DeviceEventName.allCases {
      let expectation = Pushpit.Expectation(.events(.event(event)), count: 0)
      try await server.withSession(.everything, .expect(expectation)) { _ in }
    }
    await server.stop()
  }

  @Test("the expectations of several options are all evaluated")
  func severalOptions() async throws {
    let server = try await Pushpit.start(fleet: 1)
    let one = Pushpit.Expectation(.pushes(), count: 1)
    let none = Pushpit.Expectation(.pushes(), count: 0)
    let verdict = try await server.session(.expect(one), .expect(none)).close()
    #expect(verdict.expectations.map { $0 == nil } == [false, true])
    await server.stop()
  }

  private func attempt(_ action: Pushpit.Action, on phone: Pushpit.Phone) async throws {
    do {
      try await phone.do(action)
    } catch let error as PushpitError where error.sentence.contains(" already ") {
      // The word was understood.
    }
  }
}
