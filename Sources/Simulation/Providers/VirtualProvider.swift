import APNs
import Devices
import Timeline
import WireFormats

/// A provider without a backend: knows the fleet's tokens, and sends what a step says.
///
/// One connection per team and environment, as a backend with one key has. Its provider token is renewed every fifty
/// minutes of the scenario.
package struct VirtualProvider: Sendable {
  /// Documented: a provider token is valid for an hour and must be renewed no more often than every 20 minutes.
  private static let tokenLife: Int64 = 50 * 60

  private struct Slot: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let slot: TokenSlot
  }

  private let teams: [String]
  /// Number of each app's team.
  let teamOfApp: [Int]
  /// True if a step reuses tokens. Otherwise none are remembered.
  package var remembers = true
  /// The addresses of the tokens used last.
  private var known: [Slot: Address] = [:]
  /// The addresses of the update tokens used last, by app and device. Their activities may have ended.
  private var updates: [UInt64: [Address]] = [:]
  /// The channels of the scenario, by name.
  var channels: [String: KnownChannel] = [:]
  /// For pushes by team and environment, then the same for channels.
  private var connections: SimulatedConnections
  private var authorization: [(issued: Int64, text: String)?]
  private let sign: Sign

  /// Makes a provider token for a team; nil if there is no key.
  package typealias Sign = @Sendable (_ team: String, Instant) -> String?

  /// A provider besides others, with real keys.
  package init(_ plan: FleetPlan, sign: @escaping Sign) {
    self.init(plan, connections: ProviderConnectionID.firstSimulated, sign: sign)
  }

  /// The only provider in its world, whose signatures are not checked.
  package init(_ plan: FleetPlan) {
    var teams: [String] = []
    for app in plan.apps where !teams.contains(app.teamID) { teams.append(app.teamID) }
    self.init(plan, connections: 1) { [teams] team, wall in
      Self.unsigned(Self.keyID(teams.firstIndex(of: team) ?? 0), team, at: wall)
    }
  }

  private init(_ plan: FleetPlan, connections: UInt64, sign: @escaping Sign) {
    self.sign = sign
    var teams: [String] = []
    for app in plan.apps where !teams.contains(app.teamID) { teams.append(app.teamID) }
    teamOfApp = plan.apps.map { app in teams.firstIndex(of: app.teamID) ?? 0 }
    self.teams = teams
    self.connections = SimulatedConnections(4 * teams.count, from: connections)
    authorization = Array(repeating: nil, count: teams.count)
  }

  /// Gives it connections of its own among those of all scenarios that one server plays.
  ///
  /// - Parameter scenario: from 1.
  package mutating func count(scenario: UInt64) {
    connections = SimulatedConnections(4 * teams.count, from: ProviderConnectionID.firstSimulated + scenario << 32)
  }

  /// Closes its connections.
  package mutating func disconnect(from world: inout World, at now: Now) { connections.closeAll(in: &world, at: now) }

  /// Keys of its teams, without restrictions. No signatures are made here, so every signature is accepted.
  package static func keyRing(_ plan: FleetPlan) -> KeyRing {
    let provider = VirtualProvider(plan)
    let keys = provider.teams.enumerated().map { number, team in
      ProviderKey(keyID: keyID(number), teamID: team, environments: [.sandbox, .production])
    }
    return KeyRing(keys: keys, apps: plan.apps.map { ($0.bundleID, $0.teamID) }) { _, _, _ in true }
  }

  private static func keyID(_ team: Int) -> String { "SCENARIO" + String(100 + team).suffix(2) }

  /// A step's pushes in one round, and how far they are sent.
  package struct Sending: Sendable {
    fileprivate let step: ProviderStep
    fileprivate let moment: ScenarioText.Moment
    /// Nil if devices get different bodies.
    fileprivate let sharedBody: [UInt8]?
    fileprivate var devices: DeviceCursor
    package fileprivate(set) var sent = 0
  }

  /// The parts of the pushes that are the same in one hold of the lock. Between two holds, time may pass, so no header
  /// is kept longer.
  private struct Portion {
    let step: ProviderStep
    var moment: ScenarioText.Moment
    let now: Now
    let sharedBody: [UInt8]?
    let sharedFields: [UInt8]?
    /// By connection; empty if each device gets a different push.
    var templates: [PushTemplate?]

    var isShared: Bool { sharedBody != nil && sharedFields != nil }
  }

  /// Begins to send a push to every selected device.
  package func sending(_ step: ProviderStep, round: Int, at now: Now) -> Sending {
    let moment = moment(round, at: now)
    return Sending(
      step: step, moment: moment, sharedBody: step.isShared ? step.body(at: moment) : nil,
      devices: DeviceCursor(step.selection))
  }

  /// Sends some of the pushes.
  ///
  /// - Parameters:
  ///   - most: number of events after which it ends.
  ///   - work: maximum number of devices to look at; those that were are subtracted.
  /// - Returns: true if all are sent.
  package mutating func send(
    _ sending: inout Sending, on world: inout World, at now: Now, most: Int, _ work: inout Int
  ) -> Bool {
    let step = sending.step
    let sharedFields = step.headers.allSatisfy(\.value.isShared) ? fields(step, sending.moment, at: now.wall) : nil
    var portion = Portion(
      step: step, moment: sending.moment, now: now, sharedBody: sending.sharedBody, sharedFields: sharedFields,
      templates: noTemplates)
    let most = world.eventCount + most
    var addresses: [Address] = []
    while world.eventCount < most, let device = sending.devices.nextDevice(in: &world, &work) {
      // For one or two addresses, `removeAll` takes longer.
      while !addresses.isEmpty { addresses.removeLast() }
      find(step, on: device, in: &world, at: now.world, into: &addresses)
      guard !addresses.isEmpty else { continue }
      if !portion.isShared {
        portion.moment.device = device.text
        portion.templates = noTemplates
      }
      for address in addresses { push(&portion, to: address, &world) }
      sending.sent += addresses.count
    }
    return sending.devices.isAtEnd
  }

  /// Sends a push again, as it was. After a 500 or a 403, on another connection: everything on the old one may be
  /// answered so.
  package mutating func resend(_ record: PushRecord, to address: Address, on world: inout World, at now: Now) {
    if let status = record.sent.status, [403, 500].contains(status) {
      let place = 2 * teamOfApp[address.app] + (record.environment == .production ? 1 : 0)
      connections.replace(place, in: &world, at: now)
    }
    let stream = nextStream(
      of: address.app, to: record.environment, managesChannels: false, &world, at: now)
    world.receive(record.request, on: stream, at: now)
  }

  private var noTemplates: [PushTemplate?] { Array(repeating: nil, count: 4 * teams.count) }

  func moment(_ round: Int, at now: Now) -> ScenarioText.Moment {
    var moment = ScenarioText.Moment(now: now.world, round: round)
    moment.channels = channels.mapValues(\.id.text)
    return moment
  }

  /// All fields except the pseudo-headers, packed.
  private mutating func fields(
    _ step: ProviderStep, _ moment: ScenarioText.Moment, at wall: Instant
  ) -> [UInt8] {
    var list = step.headers.map { (name: $0.name, value: $0.value.text(at: moment)) }
    if !list.contains(where: { $0.name == "authorization" }), let bearer = bearer(teamOfApp[step.app], at: wall) {
      list.append(("authorization", bearer))
    }
    return HTTPFields(list).packed
  }

  private mutating func push(_ portion: inout Portion, to address: Address, _ world: inout World) {
    let environment = world.deviceState.fleet.environment(of: address.device, app: address.app)
    let now = portion.now
    let place = 2 * teamOfApp[address.app] + (environment == .production ? 1 : 0)
    let stream = nextStream(place, to: environment, &world, at: now)
    if address.isGiven {
      // The token of such an address was registered by the user, so it is looked up in a list.
      guard let request = request(portion, to: address, world.deviceState.fleet) else { return }
      world.receive(request, on: stream, at: now)
      return
    }
    if portion.templates[place] == nil {
      guard let request = request(portion, to: address, world.deviceState.fleet) else { return }
      portion.templates[place] = PushTemplate(
        request, in: environment, to: world.deviceState.fleet.plan.apps[address.app],
        makeToken: world.deviceState.fleet.tokenMaker)
    }
    guard let template = portion.templates[place] else { return }
    world.receive(template, to: address, on: stream, at: now)
  }

  /// The next stream of a team to an environment; opens the connection if it is the first.
  mutating func nextStream(
    of app: Int, to environment: Environment, managesChannels: Bool, _ world: inout World, at now: Now
  ) -> StreamID {
    let place = 2 * teamOfApp[app] + (environment == .production ? 1 : 0)
    return nextStream(
      managesChannels ? 2 * teams.count + place : place, to: environment, &world, at: now)
  }

  private mutating func nextStream(
    _ place: Int, to environment: Environment, _ world: inout World, at now: Now
  ) -> StreamID {
    connections.nextStream(place, to: environment, managesChannels: place >= 2 * teams.count, &world, at: now)
  }

  private mutating func request(_ portion: Portion, to address: Address, _ fleet: Fleet) -> HTTPRequest? {
    guard let token = fleet.token(at: address) else { return nil }
    let fields = portion.sharedFields ?? fields(portion.step, portion.moment, at: portion.now.wall)
    let body = portion.sharedBody ?? portion.step.body(at: portion.moment)
    var storage = HTTPFields([(name: ":method", value: "POST"), (name: ":path", value: "/3/device/" + token.text)])
      .packed
    storage += fields
    let bodyStart = storage.count
    storage += body
    return HTTPRequest(storage: storage, bodyStart: bodyStart)
  }

  mutating func bearer(_ team: Int, at wall: Instant) -> String? {
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

  /// Finds the addresses of a device's tokens that a step sends to.
  ///
  /// The world is borrowed: copying it for every device took most of the time.
  private mutating func find(
    _ step: ProviderStep, on device: DeviceID, in world: inout World, at now: Instant,
    into found: inout [Address]
  ) {
    let app = step.app
    let slot: TokenSlot
    switch step.tokenKind {
    case .update: return findUpdates(step, on: device, in: &world, at: now, into: &found)
    case .device: slot = .app
    case .pushToStart: slot = .pushToStart(type: step.type)
    }
    let place = Slot(device: device, app: app, slot: slot)
    if step.knowledge == .remembered, let old = known[place] { return found.append(old) }
    let install = world.deviceState.fleet.install(device, app: app)
    if step.knowledge == .current {
      let hasToken =
        install.hasTokens
        && (slot == .app
          || install.hasStartToken(world.deviceState.fleet.os(of: device), world.deviceState.fleet.policy.startTokens))
      guard hasToken else { return }
    }
    guard let state = install.state(of: slot) else { return }
    let address = Address(
      device: device, app: app, slot: slot, generation: state.generation, isGiven: state.isGiven)
    if remembers { known[place] = address }
    found.append(address)
  }

  private mutating func findUpdates(
    _ step: ProviderStep, on device: DeviceID, in world: inout World, at now: Instant,
    into found: inout [Address]
  ) {
    let key = UInt64(device.number) << 16 | UInt64(step.app)
    if step.knowledge == .remembered { return found += updates[key] ?? [] }
    world.deviceState.fleet.findUpdatable(device, app: step.app, at: now) { live in
      let slot = TokenSlot.update(activity: live.number)
      found.append(
        Address(
          device: device, app: step.app, slot: slot, generation: live.generation, isGiven: live.isGiven))
    }
    if remembers { updates[key] = found }
  }
}

extension World {
  /// The address of a push, also if it was rejected before its token was looked up; nil if there is no such token.
  package func address(of record: PushRecord) -> Address? {
    if let address = record.address { return address }
    guard let text = record.push.token(to: nil), let token = DeviceToken(String(decoding: text, as: UTF8.self)) else {
      return nil
    }
    return fleet.address(of: token)
  }
}
