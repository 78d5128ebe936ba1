import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

/// A backend that keeps what the apps have told it, and pushes by that.
@Suite("A match between the apps and their backend")
struct MatchBackendTests {
  private static let all: UInt32 = 40
  private static let fine = CallOutcome.answered(status: 200, body: nil)

  /// The update token of each user that the backend has received so far.
  private func active(_ club: Club) -> [String: String] {
    var tokens: [String: String] = [:]
    for call in club.calls {
      let user = call.headers["authorization"] ?? ""
      if call.line == Club.updateLine { tokens[user] = call.body?["token"]?.string }
      if call.line == Club.dismissedLine { tokens[user] = nil }
    }
    return tokens
  }

  /// Everybody follows a match that is live, and is back elsewhere.
  private func begun() throws -> Club {
    var club = try Club(devices: Self.all)
    club.answer = { $0.line == Club.followLine ? Club.live : Self.fine }
    for device in 0..<Self.all { try club.use("follow", on: device) }
    for device in 0..<Self.all { try club.order(.leave(app: nil), on: device) }
    return club
  }

  @Test("S164: an update fanned out to every reported token is on every screen, once for each token")
  func fanOut() throws {
    var club = try begun()
    let tokens = active(club).values.sorted()
    #expect(tokens.count == Int(Self.all))
    var received = 0
    for round in 1...3 {
      for token in tokens {
        let record = try club.update("\(round)/0", to: token)
        if case .updated? = record.firstFate.reaction { received += 1 }
      }
      #expect((0..<Self.all).allSatisfy { club.score(on: $0) == "\(round)/0" })
      club.advance(by: .seconds(5))
    }
    #expect(received == 3 * tokens.count)
  }

  @Test("S165: at the end of the match every Live Activity ends, and at the next launch nothing is followed")
  func matchEnd() throws {
    var club = try begun()
    let now = club.now.world.seconds
    for token in active(club).values.sorted() {
      let record = try club.push(
        token, "end",
        body: #"{"aps":{"timestamp":\#(now + 60),"event":"end","dismissal-date":\#(now + 900)}}"#)
      #expect(record.status == 200)
    }
    #expect((0..<Self.all).allSatisfy { club.state(on: $0) == .ended })
    club.answer = { .answered(status: 200, body: $0.line == Club.followsLine ? ["follows": []] : nil) }
    club.skip(.seconds(901))
    for device in 0..<Self.all {
      #expect(club.cards(on: device).isEmpty && club.bell(on: device) == .filled)
      try club.launch(on: device)
      #expect(club.bell(on: device) == .empty)
    }
    #expect(active(club).isEmpty, "each has told its dismissal")
  }

  @Test("S166: push-to-start is not a push type in the header", arguments: ["push-to-start", "liveactivity"])
  func pushType(_ type: String) throws {
    var club = try Club()
    try club.launch()
    let token = try club.token(.pushToStart(type: 0))
    let record = try club.push(token, "start", headers: ["apns-push-type": type])
    #expect(record.reason == (type == "liveactivity" ? nil : .invalidPushType))
    #expect(record.status == (type == "liveactivity" ? 200 : 400))
    #expect(club.count(Club.updateLine) == (type == "liveactivity" ? 1 : 0))
  }

  @Test("S169: 410 first, the token deleted, then the visible notification: no second push to the dead token")
  func fallback() throws {
    var club = try Club()
    try club.launch()
    var known = try #require(club.values("token", at: Club.startLine).last)
    try club.order(.forceQuit(app: nil))
    try club.order(.rotate(.pushToStart))
    club.skip(.seconds(86_401))
    club.forget()
    var answers: [(to: String, status: Int)] = []
    for _ in 0..<3 where club.cards().isEmpty {
      let record = try club.start(with: known)
      answers.append((known, record.status))
      guard record.status == 410 else { continue }
      answers.append(("alert", try club.alertPush().status))
      try club.order(.tapNotification(nil, app: nil))
      known = try #require(club.values("token", at: Club.startLine).last)
    }
    #expect(answers.map(\.status) == [410, 200, 200])
    #expect(answers.map(\.to)[1] == "alert" && answers[0].to != answers[2].to)
    #expect(club.count(Club.updateLine) == 1)
  }

  @Test("S170: after a dismissal the backend pushes only to the other tokens")
  func dismissed() throws {
    var club = try begun()
    let before = active(club)
    for device: UInt32 in 0..<10 { try club.order(.swipe(nil, app: nil), on: device) }
    let after = active(club)
    let gone = Set(before.values).subtracting(after.values)
    #expect(gone == (try Set((0..<10).map { try club.token(.update(activity: 0), on: $0) })))
    #expect(after.count == Int(Self.all) - 10)
    for token in after.values.sorted() {
      let record = try club.update("9/0", to: token)
      guard case .updated? = record.firstFate.reaction else {
        Issue.record("\(record.firstFate)")
        continue
      }
    }
    // Who does not listen pushes into the void, and a minute later is told so.
    let deaf = try #require(gone.first)
    #expect(try club.update("9/0", to: deaf).firstFate.reaction == nil)
    club.skip(.seconds(61))
    #expect(try club.update("9/0", to: deaf).status == 410)
  }

  @Test(
    "S173: the ledger distinguishes redundant pushes: a backend that filters sends none, one that does not sends many")
  func redundant() throws {
    for filters in [true, false] {
      var club = try Club()
      try club.launch()
      try club.start()
      let token = try #require(club.values("token", at: Club.updateLine).last)
      var sent = 0
      var redundant = 0
      var last = "1/0"
      // Three minutes of a poll every 5 s, with news every 45 s.
      for poll in 0..<36 {
        let score = "\(poll / 9 + 2)/0"
        if !filters || score != last {
          let record = try club.update(score, to: token, priority: "10")
          sent += 1
          let body = try #require(club.body(of: record)?["aps"]?["content-state"])
          if case .updated(_, _, let before)? = record.firstFate.reaction,
            before.content.value("content-state") == body
          {
            redundant += 1
          }
        }
        last = score
        club.advance(by: .seconds(5))
      }
      #expect(filters ? sent == 4 && redundant == 0 : sent == 36 && redundant > 8, "\(sent) sent, \(redundant)")
      #expect(club.score() == (filters ? "5/0" : club.score()))
    }
  }
}

extension Club {
  /// The body of a push, as JSON.
  fileprivate func body(of record: PushRecord) -> JSONValue? { try? JSONValue.parse(Array(record.request.body)) }
}
