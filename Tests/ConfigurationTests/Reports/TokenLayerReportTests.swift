import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

@testable import ClubSupport

/// Tests of the ways in which a backend gets a fresh start token, by the calls that reach it.
@Suite("Layers of token recovery as the backend sees them")
struct TokenLayerReportTests {
  private static let start = TokenSlot.pushToStart(type: 0)

  /// A phone whose start token was replaced while its app could not tell, and the token the backend has.
  private func staleClub(devices: UInt32 = 1, policy: DevicePolicy = Club.quick) throws -> (Club, [String]) {
    var club = try Club(devices: devices, policy: policy)
    var known: [String] = []
    for device in 0..<devices {
      try club.launch(on: device)
      known.append(try club.token(Self.start, on: device))
      try club.order(.terminate(app: nil), on: device)
      try club.order(.rotate(.pushToStart), on: device)
    }
    #expect(Set(club.values("token", at: Club.startLine)) == Set(known))
    club.forget()
    return (club, known)
  }

  @Test("S60: the tokens that the backend has are those of the fleet")
  func expectedState() throws {
    var club = try Club(devices: 6)
    for device: UInt32 in 0..<6 { try club.launch(on: device) }
    for device: UInt32 in 0..<4 { try club.start(on: device) }
    try club.order(.rotate(.update), on: 1)
    try club.order(.swipe(nil, app: nil), on: 2)
    try club.order(.terminate(app: nil), on: 4)
    try club.order(.rotate(.pushToStart), on: 4)
    try club.order(.open(app: nil), on: 4)
    try club.order(.restore, on: 5)
    try club.order(.open(app: nil), on: 5)
    club.skip(.seconds(120))
    // The newest of each kind from each phone; a dismissed activity's is forgotten.
    var told: [String: String] = [:]
    for call in club.calls {
      switch call.line {
      case Club.deviceLine: told["device \(call.device)"] = call.body?["pushToken"]?.string
      case Club.startLine: told["start \(call.device)"] = call.body?["token"]?.string
      case Club.updateLine: told["update \(call.device)"] = call.body?["token"]?.string
      case Club.dismissedLine: told["update \(call.device)"] = nil
      default: break
      }
    }
    let kinds: [TokenKind] = [.device, .pushToStart, .update]
    let fleet = club.world.tokens(
      Filter(), from: .init(device: 0, skip: 0), limit: 1000, at: club.now.world
    ).tokens.filter { $0.isLive && kinds.contains($0.kind) }
    #expect(Set(told.values) == Set(fleet.map(\.token)))
    #expect(told.count == 15 && fleet.count == 15)
  }

  @Test("S61: a token replaced while the app has no process is not reported, and the start fails")
  func unseen() throws {
    var (club, known) = try staleClub()
    club.skip(.seconds(3600))
    let record = try club.start(with: known[0])
    #expect(record.status == 200 && record.firstFate == .discarded(.orphanToken))
    #expect(club.calls.isEmpty && club.cards().isEmpty)
  }

  @Test("S62: of 1,000 apps woken by a silent push 600 to 700 send their new token, each once")
  func silentPush() throws {
    var (club, _) = try staleClub(devices: 1000)
    for device: UInt32 in 0..<1000 { #expect(try club.silentPush(on: device).status == 200) }
    let sent = club.values("token", at: Club.startLine)
    #expect((600...700).contains(sent.count), "\(sent.count)")
    #expect(club.callers(Club.startLine).count == sent.count)
    let fresh = try Set((0..<1000).map { try club.token(Self.start, on: $0) })
    #expect(Set(sent).count == sent.count && fresh.isSuperset(of: sent))
  }

  @Test("S62: a suspended app is woken too, and sends only a token that the backend does not have")
  func suspended() throws {
    for rotates in [true, false] {
      var club = try Club(policy: Club.alwaysWoken)
      try club.launch()
      try club.suspend()
      if rotates { try club.order(.rotate(.pushToStart)) }
      club.forget()
      _ = try club.silentPush()
      #expect(club.values("token", at: Club.startLine) == (rotates ? [try club.token(Self.start)] : []))
    }
  }

  @Test("S63: of four silent pushes within an hour three cause reports at once, the fourth when the hour is over")
  func throttle() throws {
    var club = try Club("plain", policy: Club.alwaysWoken)
    let inbox = { (club: Club) in club.lines.count { $0.hasPrefix("GET /inbox?device=") } }
    for number in 1...4 {
      _ = try club.silentPush()
      #expect(inbox(club) == min(number, 3))
      club.skip(.seconds(60))
    }
    club.skip(.seconds(3600 - 4 * 60 - 1))
    #expect(inbox(club) == 3)
    club.skip(.seconds(2))
    #expect(inbox(club) == 4)
  }

  @Test(
    "S64: 410, a visible notification, a tap: the token is reported, and the start with it shows within three seconds")
  func tapped() throws {
    var (club, known) = try staleClub()
    club.skip(.seconds(86_401))
    #expect(try club.start(with: known[0]).reason == .unregistered)
    _ = try club.alertPush()
    #expect(club.calls.isEmpty, "an alert wakes nobody")
    let tapped = club.now.world
    try club.order(.tapNotification(nil, app: nil))
    let token = try #require(club.values("token", at: Club.startLine).first)
    #expect(try club.start(with: token).status == 200)
    let card = try #require(club.cards().first)
    #expect(tapped.duration(to: card.startedAt) <= .seconds(3))
    #expect(club.count(Club.updateLine) == 1)
  }

  @Test("S62 S64: a silent push and then an alert bring 95 of 100 new tokens, by the configured reliabilities")
  func bothLayers() throws {
    var policy = Club.quick
    policy.wakes.odds = Odds(65, in: 100)
    policy.taps = Odds(86, in: 100)
    var club = try Club(devices: 1000, policy: policy)
    func fresh() -> Int { Set(club.calls.filter { $0.line == Club.startLine }.map(\.device)).count }
    for device in 0..<1000 as Range<UInt32> { try club.order(.terminate(app: nil), on: device) }
    club.forget()
    for device in 0..<1000 as Range<UInt32> {
      try club.push(
        club.token(.app, on: device), "", priority: "5", suffix: "", body: #"{"aps":{"content-available":1}}"#,
        headers: ["apns-push-type": "background"])
    }
    let first = fresh()
    #expect((600...700).contains(first), "\(first)")
    let reached = Set(club.calls.map(\.device))
    for device in 0..<1000 as Range<UInt32> where !reached.contains(device) {
      try club.push(club.token(.app, on: device), "", suffix: "", body: #"{"aps":{"alert":"Tap"}}"#)
    }
    club.advance(by: .seconds(11))
    #expect((930...970).contains(fresh()), "\(fresh())")
  }

  @Test("S64: a person who has denied notifications is not reached by the second layer")
  func denied() throws {
    var (club, _) = try staleClub()
    try club.order(.permit(.denied, app: nil))
    _ = try club.alertPush()
    #expect(throws: CommandProblem.self) { try club.order(.tapNotification(nil, app: nil)) }
    #expect(club.calls.isEmpty)
  }

  @Test("S65: opening the app registers its token, after any obstacle")
  func opened() throws {
    var mix = PhoneMix()
    mix.offline = .never
    var club = try Club(devices: 200, os: OSVersion(18, 0), phones: mix)
    for device: UInt32 in 0..<200 where club.life(on: device).hasProcess {
      try club.order([.terminate(app: nil), .crash(app: nil), .forceQuit(app: nil)][Int(device % 3)], on: device)
    }
    try club.orderAll(.rotate(.pushToStart))
    club.forget()
    try club.orderAll(.open(app: nil))
    #expect(club.callers(Club.startLine).count == 200 && club.count(Club.startLine) == 200)
    let fresh = try Set((0..<200).map { try club.token(Self.start, on: $0) })
    #expect(Set(club.values("token", at: Club.startLine)) == fresh)
  }

  @Test("S66: only the newly reported token makes the second start after a replacement")
  func secondStart() throws {
    var club = try Club()
    try club.launch()
    try club.start()
    try club.order(.rotate(.pushToStart))
    let sent = club.values("token", at: Club.startLine)
    #expect(sent.count == 2)
    try club.start(with: sent[0])
    #expect(club.cards().count == 1)
    try club.start(with: sent[1])
    #expect(club.cards().count == 2)
  }
}
