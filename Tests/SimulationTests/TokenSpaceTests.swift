import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("Where tokens lead")
struct TokenSpaceTests {
  @Test("S3: a token of the other environment is unknown")
  func otherEnvironment() throws {
    var stage = Stage()
    let sandbox = try stage.token()
    let production = try stage.token(app: 1)
    #expect(try stage.push(sandbox, on: Stage.production).reason == .badDeviceToken)
    #expect(try stage.push(production, topic: Stage.store).reason == .badDeviceToken)
    #expect(try stage.push(sandbox).status == 200)
    #expect(try stage.push(production, topic: Stage.store, on: Stage.production).status == 200)
  }

  @Test("S27: one kind of token never passes as another")
  func kindsAreApart() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let slots: [TokenSlot] = [.app, .service(.voip), .pushToStart(type: 0), .update(activity: 0)]
    for slot in slots {
      let token = try stage.token(slot)
      for suffix in TopicSuffix.allCases {
        let record = try stage.push(token, topic: Stage.app + suffix.text)
        #expect(record.reason == (suffix == slot.suffix ? nil : .deviceTokenNotForTopic), "\(slot) as \(suffix)")
      }
      #expect(try stage.push(token, topic: Stage.store + slot.suffix.text).reason == .deviceTokenNotForTopic)
      #expect(try stage.push(token, topic: "org.other" + slot.suffix.text).reason == .topicDisallowed)
    }
    #expect(Set(try slots.map { try stage.token($0) }).count == slots.count)
  }

  @Test("a service that the app does not use has no token")
  func unusedService() throws {
    var stage = Stage()
    let token = try stage.token(.service(.widgets))
    #expect(try stage.push(token, topic: Stage.app + ".push-type.widgets").reason == .badDeviceToken)
  }

  @Test("S30: a push-to-start token exists before any activity, from iOS 18")
  func startTokenFirst() throws {
    for (os, has) in [
      (OSVersion(16, 7), false), (OSVersion(17, 1), false), (OSVersion(17, 6), false), (OSVersion(18, 0), true),
    ] {
      var stage = Stage(os: os)
      #expect(try stage.app().activities.isEmpty)
      #expect(try stage.app().startTokens.map(\.attributesType) == (has ? ["MatchAttributes", "RaceAttributes"] : []))
      let record = try stage.pushActivity(
        try stage.token(.pushToStart(type: 0)), event: "start", type: "MatchAttributes")
      #expect(record.reason == (has ? nil : .badDeviceToken))
    }
  }

  @Test("on iOS 17.6 a push-to-start token exists only after deletion, a reboot and a fresh install")
  func startTokenOn17() throws {
    var stage = Stage(os: OSVersion(17, 6))
    func works(_ stage: inout Stage) throws -> Bool {
      let token = try stage.token(.pushToStart(type: 0))
      return try stage.pushActivity(token, event: "start", type: "MatchAttributes").status == 200
    }
    try stage.order(.reboot)
    #expect(try !works(&stage))
    try stage.order(.uninstall(app: nil))
    #expect(try !works(&stage))
    try stage.order(.reinstall(app: nil))
    #expect(try !works(&stage) && stage.app().startTokens.isEmpty)
    try stage.order(.reboot)
    #expect(try !works(&stage))
    try stage.order(.uninstall(app: nil))
    try stage.order(.reboot)
    #expect(try !works(&stage))
    _ = stage.events()
    try stage.order(.reinstall(app: nil))
    let issued = stage.events().compactMap {
      if case .phone(_, _, .tokenIssued(let slot), _) = $0 { slot } else { nil }
    }
    #expect(issued == [.app, .pushToStart(type: 0), .pushToStart(type: 1)])
    #expect(try works(&stage) && stage.app().startTokens.count == 2)
  }

  @Test("before iOS 17.2 nothing gives a push-to-start token")
  func neverBefore() throws {
    var stage = Stage(os: OSVersion(17, 1))
    try stage.order(.uninstall(app: nil))
    try stage.order(.reboot)
    try stage.order(.reinstall(app: nil))
    let token = try stage.token(.pushToStart(type: 0))
    #expect(try stage.pushActivity(token, event: "start", type: "MatchAttributes").reason == .badDeviceToken)
    #expect(throws: CommandProblem.self) {
      try stage.order(.rotate(.pushToStart, app: nil, attributesType: nil, activity: nil))
    }
  }

  @Test("S31: a push-to-start token is one per attributes type, and starts that type only")
  func onePerType() throws {
    var stage = Stage()
    let match = try stage.token(.pushToStart(type: 0))
    let race = try stage.token(.pushToStart(type: 1))
    #expect(match != race)
    for _ in 0..<2 { _ = try stage.pushActivity(match, event: "start", type: "MatchAttributes") }
    #expect(try stage.token(.pushToStart(type: 0)) == match)
    #expect(
      try stage.pushActivity(race, event: "start", type: "RaceAttributes").fate.starts(2))
    #expect(try stage.pushActivity(race, event: "start", type: "MatchAttributes").fate.cause != nil)
    #expect(try stage.pushActivity(race, event: "start", type: "raceAttributes").fate.cause != nil)
    #expect(try stage.pushActivity(race, event: "start").fate.cause != nil)
    #expect(
      try stage.app().activities.map(\.attributesType) == ["MatchAttributes", "MatchAttributes", "RaceAttributes"])
  }

  @Test("S34: a push-to-start token stays the same over reboots, activities, days, and the next run of the same seed")
  func startTokenPersists() throws {
    var stage = Stage()
    let token = try stage.token(.pushToStart(type: 0))
    _ = try stage.pushActivity(token, event: "start", type: "MatchAttributes")
    try stage.order(.reboot)
    try stage.order(.goOffline)
    try stage.order(.goOnline)
    stage.advance(by: .seconds(86400 * 100))
    #expect(try stage.token(.pushToStart(type: 0)) == token)
    #expect(try stage.app().startTokens.first?.token == token)
    #expect(try Stage(at: Instant(seconds: 1_800_000_000)).token(.pushToStart(type: 0)) == token)
  }

  @Test("S46: each activity has its own update token, on every device")
  func updateTokensDiffer() throws {
    var stage = Stage()
    var tokens: [String] = []
    for device: UInt32 in 0..<5 {
      for number: UInt32 in 0..<4 {
        try stage.order(.startActivity(app: nil, attributesType: nil), on: device)
        tokens.append(try stage.token(.update(activity: number), on: device))
      }
    }
    #expect(Set(tokens).count == 20)
    #expect(try stage.app().activities.compactMap(\.token) == Array(tokens.prefix(4)))
    #expect(Set(try stage.app().activities.map(\.id)).count == 4)
  }

  @Test("S28: after a reinstall the device token differs from those of activities")
  func separateEvents() throws {
    var stage = Stage()
    try stage.order(.uninstall(app: Stage.app))
    _ = stage.events()
    try stage.order(.reinstall(app: Stage.app))
    let at = stage.now.world
    #expect(
      stage.happenings() == [
        .phone(DeviceID(0), app: 0, .tokenIssued(.app), at: at),
        .phone(DeviceID(0), app: 0, .tokenIssued(.pushToStart(type: 0)), at: at),
        .phone(DeviceID(0), app: 0, .tokenIssued(.pushToStart(type: 1)), at: at),
      ])
  }

  @Test("S59: every token is listed in lower-case hexadecimal, and upper case reaches the same device")
  func lowerCase() throws {
    var stage = Stage()
    try stage.order(.startActivity(app: nil, attributesType: nil))
    let (tokens, next) = stage.world.tokens(.init(), from: .init(device: 0, skip: 0), limit: 1000, at: stage.now.world)
    #expect(next == nil && tokens.count > 100)
    for view in tokens {
      #expect(view.token.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
      #expect(view.token.count == (view.topic.hasSuffix("liveactivity") ? 160 : 64))
      let record = try stage.push(
        view.token.uppercased(), topic: view.topic,
        on: view.environment == .sandbox ? Stage.sandbox : Stage.production)
      #expect(record.status == 200 && record.address?.device == view.device)
    }
  }

  @Test("a token of a device beyond the fleet is unknown, and so is one of another seed")
  func beyondTheFleet() throws {
    let big = Stage(devices: 200)
    let other = Stage(seed: 2)
    var stage = Stage(devices: 100)
    #expect(try stage.push(try big.token(on: 99)).status == 200)
    #expect(try stage.push(try big.token(on: 100)).reason == .badDeviceToken)
    #expect(try stage.push(try other.token(on: 5)).reason == .badDeviceToken)
  }

  @Test("other sizes of token are read too")
  func otherSizes() throws {
    var app = AppProfile(bundleID: Stage.app, teamID: Stage.team, attributesTypes: ["M"])
    app.tokenSizes = TokenSizes(app: 54, liveActivity: 100)
    var stage = Stage(apps: [app])
    #expect(try stage.token().count == 108 && stage.token(.pushToStart(type: 0)).count == 200)
    #expect(try stage.push(try stage.token()).status == 200)
    #expect(try stage.pushActivity(try stage.token(.pushToStart(type: 0)), event: "start", type: "M").status == 200)
  }
}
