import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

@Suite("An app that updates its own card when it is woken")
struct OwnUpdateReportTests {
  private static let profile = """
    bundleId: com.example.self
    attributesTypes: [MatchAttributes]
    reports:
      on:
        deviceToken:
          - {url: "{{backend}}/devices", json: {token: "{{token.hex}}", environment: "{{install.environment}}"}}
        silentPushHandled:
          - url: "{{backend}}/card"
            then: [{updateActivity: {matchId: m1}, contentState: "{{answer.state}}", when: answer.live}]
    """

  private func club(answering body: JSONValue) throws -> Club {
    var club = try Club(Self.profile, policy: Club.alwaysWoken)
    club.answer = { $0.line == "GET /card" ? .answered(status: 200, body: body) : .answered(status: 200, body: nil) }
    try club.launch()
    try club.start()
    try club.suspend()
    return club
  }

  private func score(_ club: Club) -> Int64? { club.cards().first?.content?["score"]?.integer }

  @Test("an app that updates its own card shows what its backend has answered, while it can be woken")
  func updates() throws {
    var club = try club(answering: ["live": true, "state": ["score": 7]])
    _ = try club.silentPush()
    #expect(score(club) == 7)
  }

  @Test("an app that its owner has swiped away keeps its card unchanged: nothing wakes it")
  func forceQuit() throws {
    var club = try club(answering: ["live": true, "state": ["score": 7]])
    try club.order(.forceQuit(app: nil))
    let record = try club.silentPush()
    #expect(record.status == 200 && score(club) == nil && !club.cards().isEmpty)
  }

  @Test("an app leaves its card alone where the condition does not hold, or the activity is another")
  func otherwise() throws {
    for body: JSONValue in [["live": false, "state": ["score": 7]], ["live": true]] {
      var club = try club(answering: body)
      _ = try club.silentPush()
      #expect(score(club) == nil)
    }
  }

  @Test("an app reports which environment its build is of")
  func environment() throws {
    let club = try club(answering: [:])
    #expect(Set(club.values("environment", at: "POST /devices")) == ["sandbox"])
  }
}
