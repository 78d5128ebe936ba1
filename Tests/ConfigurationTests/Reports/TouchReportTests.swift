import APNs
import Devices
import Reporting
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

/// Buttons, replies and taps, as the backend hears of them.
@Suite("A touch of a card or a notification")
struct TouchReportTests {
  private static let profile = """
    bundleId: com.example.touch
    attributesTypes:
      - name: MatchAttributes
        card:
          link: "touch://matches/{attributes.matchId}?score={state.score}"
          buttons: {cheer: "Cheer {attributes.matchId}", mute: Mute}
    categories:
      GOAL: {buttons: {mute: Mute}, reply: Say something}
      OTHER: {reply: Answer}
    reports:
      on:
        launch.cold: [{url: "{{backend}}/launched", json: {}}]
        launch.background: [{url: "{{backend}}/woken", json: {}}]
        button.cheer:
          - url: "{{backend}}/cheer"
            json: {match: "{{attributes.matchId}}", state: "{{activity.state}}"}
            then: [{updateActivity: {matchId: m1}, contentState: "{{answer}}"}]
        button.mute:
          - {url: "{{backend}}/mute", json: {card: "{{attributes.matchId?}}", note: "{{notification.payload.matchId?}}"}}
        reply:
          - {url: "{{backend}}/reply", json: {text: "{{reply}}", match: "{{notification.payload.matchId}}"}}
        notificationTapped:
          - {url: "{{backend}}/opened", json: {match: "{{notification.payload.matchId}}"}}
          - {url: "{{backend}}/read", json: {}}
        cardTapped:
          - {url: "{{backend}}/tapped", json: {link: "{{link}}"}}
    """

  private func club(os: OSVersion = OSVersion(26, 1), reports: ReportRegistry.Plan = Club.calm) throws -> Club {
    var club = try Club(Self.profile, os: os, reports: reports)
    club.answer = { call in
      .answered(status: 200, body: call.line == "POST /cheer" ? ["score": 9] : nil)
    }
    try club.launch()
    try club.start()
    try club.suspend()
    club.forget()
    return club
  }

  private func screen(_ club: Club) -> Screen { club.world.screen(of: DeviceID(0), at: club.now.world) }

  private func isLocked(_ club: Club) -> Bool { screen(club).isLocked }

  private func notify(_ club: inout Club, _ category: String, _ match: String) throws {
    _ = try club.push(
      club.token(.app), "", suffix: "",
      body: #"{"aps":{"alert":"Goal","category":"\#(category)"},"matchId":"\#(match)"}"#,
      headers: ["apns-push-type": "alert"])
  }

  static let lives: [(AppLifecycle, DeviceAction?)] = [
    (.suspended, nil), (.foreground, .open(app: nil)), (.terminated, .terminate(app: nil)),
    (.crashed, .crash(app: nil)), (.forceQuit, .forceQuit(app: nil)),
  ]

  @Test("a button of a card runs the app in the background, whatever it was doing, and the app calls", arguments: lives)
  func button(_ life: AppLifecycle, _ before: DeviceAction?) throws {
    var club = try club()
    if let before { try club.order(before) }
    club.forget()
    try club.order(.pressButton("cheer", app: nil))
    let call = try #require(club.calls.last, "\(club.lines)")
    #expect(call.line == "POST /cheer" && call.body?["match"] == "m1" && call.body?["state"] == "active")
    let isLaunched = life != .suspended && life != .foreground
    #expect(club.count("POST /woken") == (isLaunched ? 1 : 0) && club.count("POST /launched") == 0)
    #expect(club.life() == (life == .foreground ? .foreground : .background))
    // The app updates its card with the answer.
    #expect(club.cards().first?.content?["score"] == 9)
  }

  @Test("the app has 30 seconds for a touch")
  func runtime() throws {
    var club = try club()
    try club.order(.pressButton("mute", app: nil))
    club.advance(by: .seconds(29))
    #expect(club.life() == .background)
    club.advance(by: .seconds(2))
    #expect(club.life() == .suspended)
  }

  @Test("a button of a card unlocks the phone, and an answer to a notification does not")
  func lock() throws {
    var club = try club()
    try notify(&club, "GOAL", "m7")
    try club.order(.lock)
    try club.order(.answerNotification("Yes", app: nil))
    #expect(isLocked(club) && club.lines == ["POST /reply"])
    try club.order(.pressButton("mute", app: nil))
    #expect(!isLocked(club))
  }

  @Test(
    "a button and a text under a notification carry its payload, and the notification leaves the list",
    .setting("fleet.apps.categories"))
  func notification() throws {
    var club = try club()
    for (category, match) in [("GOAL", "m1"), ("GOAL", "m2"), ("OTHER", "m3"), ("NONE", "m4")] {
      try notify(&club, category, match)
    }
    try club.order(.pressButton("mute", notification: 1, app: nil))
    #expect(club.calls.last?.body == ["card": nil, "note": "m2"])
    try club.order(.answerNotification("Well played", app: nil))
    #expect(club.calls.last?.body == ["text": "Well played", "match": "m3"])
    try club.order(.answerNotification("", 0, app: nil))
    #expect(club.calls.last?.body == ["text": "", "match": "m1"])
    let left = screen(club).notifications
    #expect(left.map(\.shown.number) == [3])
    #expect(throws: CommandProblem.self) { try club.order(.answerNotification("Late", app: nil)) }
  }

  @Test("a tap on a card opens the app with the card's link")
  func link() throws {
    var club = try club()
    try club.order(.updateActivity(nil, app: nil, .init(content: ["score": 3])))
    club.forget()
    try club.order(.terminate(app: nil))
    try club.order(.tap(nil, app: nil))
    #expect(club.lines == ["POST /launched", "POST /tapped"])
    #expect(club.calls.last?.body?["link"] == "touch://matches/m1?score=3")
  }

  @Test("a tap on a notification that launches the app sends each of its requests, after those of the launch")
  func coldTap() throws {
    var club = try club()
    try notify(&club, "NONE", "m4")
    try club.order(.terminate(app: nil))
    try club.order(.tapNotification(nil, app: nil))
    #expect(club.lines == ["POST /launched", "POST /opened", "POST /read"])
    #expect(club.calls[1].body?["match"] == "m4")
  }

  @Test("an offline phone's app is run all the same, and its call fails")
  func offline() throws {
    var club = try club()
    try club.order(.goOffline)
    try club.order(.pressButton("cheer", app: nil))
    #expect(club.life() == .background && club.calls.isEmpty && club.ends.count == 1)
    #expect(club.ends.first?.failure == .offline)
  }

  @Test("a card has no buttons before iOS 17")
  func before17() throws {
    var club = try Club(Self.profile, os: OSVersion(16, 4))
    try club.launch()
    try club.order(.startActivity(app: nil, attributesType: nil))
    #expect(club.cards().first?.drawing.buttons.isEmpty == true)
    let problem = #expect(throws: CommandProblem.self) { try club.order(.pressButton("mute", app: nil)) }
    #expect(problem?.field == "button" && problem?.sentence.contains("from iOS 17") == true)
  }

  @Test("a card shows its buttons with the texts of its content")
  func drawn() throws {
    let club = try club()
    #expect(club.cards().first?.drawing.buttons.map(\.title) == ["Cheer m1", "Mute"])
  }

  static let mistakes: [(DeviceAction, String, String)] = [
    (.pressButton("chear", app: nil), "button", "did you mean cheer?"),
    (.pressButton("x", app: nil), "button", "there are cheer and mute."),
    (.pressButton("mute", activity: "x", app: nil), "activity", "Name one of the cards"),
    (.pressButton("cheer", notification: 0, app: nil), "button", "is on another card or notification"),
    (.pressButton("mute", activity: "x", notification: 0, app: nil), "notification", "leave one of them out"),
    (.answerNotification("x", 9, app: nil), "notification", "that takes a text"),
  ]

  @Test("a touch of what is not there is refused with what there is", arguments: mistakes)
  func refused(_ action: DeviceAction, _ field: String, _ words: String) throws {
    var club = try club()
    try notify(&club, "GOAL", "m1")
    club.forget()
    let problem = #expect(throws: CommandProblem.self) { try club.order(action) }
    #expect(problem?.field == field && problem?.sentence.contains(words) == true, "\(problem?.sentence ?? "")")
    #expect(club.calls.isEmpty && club.happened.isEmpty && club.life() == .suspended)
  }
}
