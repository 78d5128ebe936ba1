import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline

@testable import ClubSupport

/// The mistakes of apps that make no error and no crash, only silence.
@Suite("Observers of an app as the backend sees them")
struct ObserverReportTests {
  @Test(
    "S78: observers installed after launch, or never, do not report a Live Activity started by push",
    arguments: ["atLaunch: false", "activityUpdates: false", "keepsTask: true"])
  func pushStarted(_ habit: String) throws {
    var club = try Club(try Club.text(observe: habit))
    try club.launch()
    try club.order(.leave(app: nil))
    try club.start()
    #expect(club.cards().count == 1)
    try club.suspend()
    try club.order(.open(app: nil))
    try club.launch()
    let isSound = habit == "keepsTask: true"
    #expect(club.count(Club.updateLine) == (isSound ? 2 : 0), "at the start, and at the cold launch")
    #expect(club.state() == .active)
  }

  @Test("S79: a late listener for start tokens misses the wake, and sends when the app is opened")
  func lateListener() throws {
    for (isEarly, atWake) in [(true, 1), (false, 0)] {
      let profile = """
        bundleId: com.example.small
        attributesTypes: [MatchAttributes]
        observe: {atLaunch: \(isEarly)}
        reports:
          on:
            launch: [{url: "{{backend}}/launched"}]
            pushToStartToken: [{url: "{{backend}}/start", dedupe: start, json: {token: "{{token.hex}}"}}]
        """
      var club = try Club(profile, policy: Club.alwaysWoken)
      try club.launch()
      try club.order(.terminate(app: nil))
      try club.order(.rotate(.pushToStart))
      club.forget()
      _ = try club.silentPush()
      #expect(club.count("GET /launched") == 1)
      #expect(club.count("POST /start") == atWake)
      try club.order(.open(app: nil))
      #expect(club.values("token", at: "POST /start") == [try club.token(.pushToStart(type: 0))])
    }
  }

  @Test(
    "S47 S56: an app that reads its tokens once finds none after a start, and misses what is replaced while it runs")
  func readsOnce() throws {
    var club = try Club(try Club.text(observe: "tokenUpdates: false"))
    club.answer = { $0.line == Club.followLine ? Club.live : .answered(status: 200, body: nil) }
    try club.launch()
    #expect(club.values("token", at: Club.startLine) == [try club.token(.pushToStart(type: 0))])
    try club.use("follow")
    #expect(club.cards().count == 1 && club.count(Club.updateLine) == 0, "pushToken is nil at that time")
    club.forget()
    for kind: TokenKind in [.pushToStart, .update] { try club.order(.rotate(kind)) }
    try club.suspend()
    try club.order(.open(app: nil))
    #expect(club.count(Club.startLine) == 0 && club.count(Club.updateLine) == 0)
    try club.launch()
    #expect(club.values("token", at: Club.startLine) == [try club.token(.pushToStart(type: 0))])
    #expect(club.values("token", at: Club.updateLine) == [try club.token(.update(activity: 0))])
    // The first launch after an installation makes the tokens, so there is nothing to read at it.
    try club.order(.uninstall(app: nil))
    try club.order(.reinstall(app: nil, opens: false))
    club.forget()
    try club.launch()
    #expect(club.count(Club.deviceLine) == 1 && club.count(Club.startLine) == 0)
    try club.launch()
    #expect(club.count(Club.startLine) == 1)
  }

  @Test("S80: a task without a reference ends in the background: a token rotated then is never sent")
  func lostTask() throws {
    for (keeps, expected) in [(true, 2), (false, 1)] {
      var club = try Club(try Club.text(observe: "keepsTask: \(keeps)"))
      try club.launch()
      try club.start()
      #expect(club.count(Club.updateLine) == 1)
      try club.order(.leave(app: nil))
      try club.order(.rotate(.update))
      try club.suspend()
      try club.order(.open(app: nil))
      #expect(club.count(Club.updateLine) == expected, "keeps \(keeps)")
      // A new process observes anew.
      try club.launch()
      #expect(club.values("token", at: Club.updateLine).last == (try club.token(.update(activity: 0))))
    }
  }

  @Test("S81: the only symptom is frozen data: no failed call, no crash, no error")
  func silence() throws {
    var club = try Club(try Club.text(observe: "keepsTask: false"))
    try club.launch()
    try club.start()
    let known = try club.token(.update(activity: 0))
    try club.update("2/0", to: known)
    try club.order(.leave(app: nil))
    try club.order(.rotate(.update))
    club.forget()
    for score in ["3/0", "4/0"] { #expect(try club.update(score, to: known).status == 200) }
    #expect(club.score() == "2/0" && club.state() == .active)
    #expect(club.calls.isEmpty && club.ends.isEmpty)
    let isLoud = club.happened.contains {
      switch $0.what {
      case .appTerminated, .activityRefused, .activityEnded, .activityDismissed: true
      default: false
      }
    }
    #expect(!isLoud)
  }
}
