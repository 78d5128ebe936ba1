import APNs
import Devices
import Timeline
import WireFormats

/// A provider without a backend: knows the fleet's tokens, and sends what a step says.
///
/// One connection per team and environment, as a backend with one key has it; its provider token is renewed every
/// fifty minutes of the story.
package struct VirtualProvider: Sendable {
  /// Documented: a provider token is good for an hour and renewed no more often than every 20 minutes.
  private static let tokenLife: Int64 = 50 * 60

  private struct Slot: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let slot: TokenSlot
  }

  private struct Known: Sendable {
    let generation: UInt32
    let text: String
  }

  private struct Update: Sendable {
    let live: LiveActivity.Updatable
    let text: String
  }

  private let teams: [String]
  /// Number of its team, app by app.
  private let teamOfApp: [Int]
  /// The tokens it has used last.
  private var known: [Slot: Known] = [:]
  /// The update tokens of an app on a device that it has used last, whose activities may be over.
  private var updates: [UInt64: [Update]] = [:]
  /// Number of the last stream, connection by connection.
  private var streams: [Int32]
  private var open: [Bool]
  private var authorization: [(issued: Int64, text: String)?]
  /// Where its connections begin to be counted.
  private let firstConnection: UInt64
  private let sign: Sign

  /// Makes a provider token for a team; nil where there is no key.
  package typealias Sign = @Sendable (_ team: String, Instant) -> String?

  /// One beside other providers, with real keys.
  package init(_ plan: FleetPlan, sign: @escaping Sign) {
    self.init(plan, connections: 1 << 40, sign: sign)
  }

  /// One that is alone in its world, whose signatures are not looked at.
  package init(_ plan: FleetPlan) {
    var teams: [String] = []
    for app in plan.apps where !teams.contains(app.teamID) { teams.append(app.teamID) }
    self.init(plan, connections: 1) { [teams] team, wall in
      Self.unsigned(Self.keyID(teams.firstIndex(of: team) ?? 0), team, at: wall)
    }
  }

  private init(_ plan: FleetPlan, connections: UInt64, sign: @escaping Sign) {
    firstConnection = connections
    self.sign = sign
    var teams: [String] = []
    for app in plan.apps where !teams.contains(app.teamID) { teams.append(app.teamID) }
    teamOfApp = plan.apps.map { app in teams.firstIndex(of: app.teamID) ?? 0 }
    self.teams = teams
    streams = Array(repeating: -1, count: 2 * teams.count)
    open = Array(repeating: false, count: 2 * teams.count)
    authorization = Array(repeating: nil, count: teams.count)
  }

  /// Keys of its teams, good for everything. Signatures are not made here, so each is taken for good.
  package static func keyRing(_ plan: FleetPlan) -> KeyRing {
    let provider = VirtualProvider(plan)
    let keys = provider.teams.enumerated().map { number, team in
      ProviderKey(keyID: keyID(number), teamID: team, environments: [.sandbox, .production])
    }
    return KeyRing(keys: keys, apps: plan.apps.map { ($0.bundleID, $0.teamID) }) { _, _, _ in true }
  }

  private static func keyID(_ team: Int) -> String { "SCENARIO" + String(100 + team).suffix(2) }

  /// Sends a push to everybody who is meant.
  ///
  /// - Parameter settle: called now and then, so that events do not pile up.
  /// - Returns: how many were sent.
  mutating func send(
    _ step: Scenario.ProviderStep, round: Int, on station: inout Station, at now: Now,
    settle: (inout Station) -> Void
  ) -> Int {
    var moment = ScenarioText.Moment(now: now.world, round: round)
    let shared = step.isShared ? step.body(at: moment) : nil
    // Packed once where all devices get the same: fields are most of the work of making a request.
    let sharedFields = step.headers.allSatisfy(\.value.isShared) ? fields(step, moment, at: now.wall) : nil
    var sent = 0
    var selection = step.selection
    while true {
      let page = station.world.devices(of: selection)
      for device in page.devices {
        let tokens = tokens(step, device, &station.world, at: now.world)
        guard !tokens.isEmpty else { continue }
        moment.device = device.text
        let body = shared ?? step.body(at: moment)
        for token in tokens {
          let fields = sharedFields ?? fields(step, moment, at: now.wall)
          push(token, fields, body, step.app, device, to: &station.world, at: now)
          sent += 1
          if sent.isMultiple(of: 1000) { settle(&station) }
        }
      }
      guard let next = page.next else { break }
      selection.start = next
    }
    return sent
  }

  /// All fields but the pseudo ones, packed.
  private mutating func fields(
    _ step: Scenario.ProviderStep, _ moment: ScenarioText.Moment, at wall: Instant
  ) -> [UInt8] {
    var list = step.headers.map { (name: $0.name, value: $0.value.text(at: moment)) }
    if !list.contains(where: { $0.name == "authorization" }), let bearer = bearer(teamOfApp[step.app], at: wall) {
      list.append(("authorization", bearer))
    }
    return HTTPFields(list).packed
  }

  private mutating func push(
    _ token: String, _ fields: [UInt8], _ body: [UInt8], _ app: Int, _ device: DeviceID,
    to world: inout World, at now: Now
  ) {
    let team = teamOfApp[app]
    let environment = world.fleet.environment(of: device, app: app)
    let place = 2 * team + (environment == .production ? 1 : 0)
    let connection = ConnectionID(firstConnection + UInt64(place))
    if !open[place] {
      open[place] = true
      world.connectionOpened(connection, to: environment, peer: "scenario", at: now)
    }
    streams[place] = streams[place] > Int32.max - 4 ? 1 : streams[place] + 2
    var storage = HTTPFields([(name: ":method", value: "POST"), (name: ":path", value: "/3/device/" + token)]).packed
    storage.reserveCapacity(storage.count + fields.count + body.count)
    storage += fields
    let bodyStart = storage.count
    storage += body
    world.receive(
      HTTPRequest(storage: storage, bodyStart: bodyStart), on: StreamID(connection, streams[place]), at: now)
  }

  private mutating func bearer(_ team: Int, at wall: Instant) -> String? {
    if let made = authorization[team], wall.seconds < made.issued + Self.tokenLife { return made.text }
    guard let token = sign(teams[team], wall) else { return nil }
    let text = "bearer " + token
    authorization[team] = (wall.seconds, text)
    return text
  }

  private static func unsigned(_ keyID: String, _ team: String, at wall: Instant) -> String {
    let header = #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = JSONValue.object([.init("iss", .string(team)), .init("iat", .integer(wall.seconds))]).text
    let parts = [Array(header.utf8), Array(claims.utf8), [UInt8](repeating: 7, count: 64)]
    return parts.map { Base64URL.encode($0) }.joined(separator: ".")
  }

  // MARK: - Tokens

  /// The world is lent, not handed on: a copy of it for every device was most of a match's time.
  private mutating func tokens(
    _ step: Scenario.ProviderStep, _ device: DeviceID, _ world: inout World, at now: Instant
  ) -> [String] {
    let app = step.app
    let slot: TokenSlot
    switch step.to {
    case .updateTokens:
      return updateTokens(step.knowledge, device, app, &world, at: now).map(\.text)
    case .deviceTokens: slot = .app
    case .startTokens: slot = .pushToStart(type: step.type)
    }
    let place = Slot(device: device, app: app, slot: slot)
    if step.knowledge == .remembered, let old = known[place] { return [old.text] }
    let install = world.fleet.install(device, app: app)
    if step.knowledge == .current {
      let hasToken =
        install.hasTokens
        && (slot == .app || install.hasStartToken(world.fleet.os(of: device), world.fleet.habits.startTokens))
      guard hasToken else { return [] }
    }
    guard let state = install.state(of: slot) else { return [] }
    if let old = known[place], old.generation == state.generation { return [old.text] }
    guard let token = world.fleet.token(device, app: app, slot: slot) else { return [] }
    known[place] = Known(generation: state.generation, text: token.text)
    return [token.text]
  }

  private mutating func updateTokens(
    _ knowledge: Scenario.ProviderStep.Knowledge, _ device: DeviceID, _ app: Int, _ world: inout World,
    at now: Instant
  ) -> [Update] {
    let key = UInt64(device.number) << 16 | UInt64(app)
    let old = updates[key] ?? []
    if knowledge == .remembered { return old }
    let live = world.fleet.updatable(device, app: app, at: now)
    if live.count == old.count, zip(live, old).allSatisfy({ $0 == $1.live }) { return old }
    let new = live.compactMap { live -> Update? in
      if let same = old.first(where: { $0.live == live }) { return same }
      let slot = TokenSlot.update(activity: live.number)
      return world.fleet.token(device, app: app, slot: slot).map { Update(live: live, text: $0.text) }
    }
    updates[key] = new
    return new
  }
}
