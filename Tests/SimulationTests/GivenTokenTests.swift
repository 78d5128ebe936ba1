import APNs
import Devices
import Testing
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("Tokens that the user registers")
struct GivenTokenTests {
  static let mine = String(repeating: "c0ffee00", count: 8)

  private func problem(_ stage: inout Stage, _ text: String, app: String = Stage.app, _ kind: TokenKind = .device)
    throws
    -> CommandProblem?
  {
    do {
      try stage.register(text, app: app, kind)
      return nil
    } catch let problem as CommandProblem {
      return problem
    }
  }

  @Test("lead to their device from then on; the replaced token was never issued")
  func registered() throws {
    var stage = Stage()
    let sealed = try stage.token()
    #expect(try stage.push(Self.mine).reason == .badDeviceToken)
    try stage.register(Self.mine)
    #expect(stage.events().last == .phone(DeviceID(0), app: 0, .tokenRegistered(.app), at: stage.now.world))
    let record = try stage.push(Self.mine)
    #expect(
      record.fate.isDelivered && record.address?.device == DeviceID(0) && record.address?.isGiven == true)
    #expect(try stage.push(sealed).reason == .badDeviceToken)
    #expect(try stage.token() == Self.mine && stage.app().deviceToken == Self.mine)
    #expect(try stage.push(Self.mine, on: Stage.production).reason == .badDeviceToken)
    #expect(try stage.push(Self.mine, topic: Stage.store).reason == .deviceTokenNotForTopic)
  }

  @Test("a registered token may have any size, and matches in upper and lower case", arguments: [2, 63, 108, 256])
  func anySize(digits: Int) throws {
    var stage = Stage()
    let text = String(String(repeating: "c0ffee", count: 50).prefix(digits / 2 * 2))
    try stage.register(text.uppercased())
    #expect(try stage.push(text).status == 200 && stage.push(text.uppercased()).status == 200)
  }

  @Test("registering a token again, or one of the seed's, is a conflict")
  func conflicts() throws {
    var stage = Stage()
    try stage.register(Self.mine)
    #expect(try problem(&stage, Self.mine)?.kind == .conflict)
    #expect(try problem(&stage, Self.mine.uppercased())?.kind == .conflict)
    #expect(try problem(&stage, try stage.token(on: 9))?.kind == .conflict)
    #expect(try stage.push(Self.mine).status == 200)
  }

  @Test("a registered token dies when it is rotated or its app is deleted, like any other")
  func die() throws {
    for action: DeviceAction in [
      .rotate(.device, app: nil, attributesType: nil, activity: nil), .uninstall(app: Stage.app),
    ] {
      var stage = Stage()
      try stage.register(Self.mine)
      try stage.order(action)
      #expect(try stage.push(Self.mine).fate.isDiscarded)
      stage.advance(by: .seconds(86400))
      #expect(try stage.push(Self.mine).reason == .unregistered)
    }
  }

  @Test("a token that was answered 410 is valid again once it is registered again, also one of the seed's")
  func again() throws {
    for isOwn in [true, false] {
      var stage = Stage()
      if isOwn { try stage.register(Self.mine) }
      let token = isOwn ? Self.mine : try stage.token()
      try stage.order(.uninstall(app: Stage.app))
      #expect(try stage.push(token).fate.isDiscarded)
      stage.advance(by: .seconds(86400))
      let dead = try stage.push(token)
      #expect(dead.reason == .unregistered)
      try stage.order(.reinstall(app: Stage.app))
      stage.advance(by: .seconds(60))
      try stage.register(token)
      // The 410 of before is older than this registration: it spoke of an earlier life.
      let since = try #require(dead.answer.rejection?.since)
      #expect(since < stage.now.world)
      #expect(try stage.push(token).fate.isDelivered && stage.token() == token)
      let rows = stage.world.tokens(.init(), from: .init(device: 0, skip: 0), limit: 100, at: stage.now.world).tokens
      #expect(rows.count { $0.token == token } == 1 && rows.first { $0.token == token }?.isLive == true)
      #expect(try problem(&stage, token)?.kind == .conflict, "it is there now")
      try stage.order(.uninstall(app: Stage.app))
      #expect(try stage.push(token).fate.isDiscarded)
      stage.advance(by: .seconds(86400))
      let later = try #require(try stage.push(token).answer.rejection?.since)
      #expect(later > since)
    }
  }

  @Test(
    "made from the seed, are good again once they are registered again, however a push comes, and in a replay",
    arguments: Stage.Way.allCases, [nil, Cell(0, of: 2)])
  func againEveryWay(way: Stage.Way, cell: Cell?) throws {
    var stage = Stage(devices: 512, cell: cell)
    stage.way = way
    let body = #"{"aps":{"alert":"Out!"}}"#
    let (token, other) = (try stage.token(), try stage.token(on: 2))
    _ = try stage.send(other, body)
    let before = stage.record()
    try stage.order(.uninstall(app: Stage.app))
    #expect(try stage.send(token, body).fate.isDiscarded)
    stage.advance(by: .seconds(2 * 86400))
    #expect(try stage.send(token, body).reason == .unregistered)
    try stage.order(.reinstall(app: Stage.app))
    try stage.register(token)
    stage.pushesThatWay = 0
    for _ in 0..<4 {
      let record = try stage.send(token, body)
      #expect(record.status == 200 && record.fate.isDelivered && record.address?.isGiven == true)
      #expect(record.request.fields[":path"] == "/3/device/" + token)
      _ = stage.events()
    }
    #expect(way == .request || stage.pushesThatWay == 4)
    #expect(try stage.send(other, body).address?.device == DeviceID(2))
    _ = stage.events()
    let (player, difference) = try Reel(stage.batches).play(in: before)
    #expect(difference == nil && player.tally.pushes == 7, "\(difference?.text ?? "")")
  }

  @Test("a registered token can be a push-to-start token or an update token")
  func activityTokens() throws {
    var stage = Stage()
    try stage.register(Self.mine, .pushToStart, type: "RaceAttributes")
    #expect(
      try stage.pushActivity(Self.mine, event: "start", type: "RaceAttributes").fate.starts(0))
    let update = String(repeating: "ab", count: 40)
    try stage.register(update, .update)
    #expect(try stage.pushActivity(update, event: "end").fate.ends(0))
  }

  @Test("need an installed app, a service it has, a running activity")
  func needSomethingToStandFor() throws {
    var stage = Stage()
    #expect(try problem(&stage, Self.mine, app: "com.unknown")?.field == "app")
    #expect(try problem(&stage, Self.mine, .service(.widgets))?.field == "kind")
    #expect(try problem(&stage, Self.mine, .update)?.field == "activity")
    var old = Stage(os: OSVersion(17, 6))
    #expect(try problem(&old, Self.mine, .pushToStart)?.field == "kind")
    try stage.order(.uninstall(app: Stage.app))
    #expect(try problem(&stage, Self.mine)?.field == "app")
    #expect(try stage.push(Self.mine).reason == .badDeviceToken)
  }
}
