import APNs
import Devices
import Grammar
import Reporting
import TestSupport
import Timeline
import WireFormats

@testable import Orders
@testable import Scenarios
@testable import Simulation

/// A random day in which a fleet gets every order and every fault that the grammar has, in any order: providers come
/// and go, keys and certificates change, tokens are registered again, clocks move, the world begins anew.
struct GrammarDay {
  /// A place where a push may go: a token, dead or alive.
  struct Target {
    let token: String
    let app: Int
    let slot: TokenSlot
  }

  struct Caller {
    let id: ProviderConnectionID
    let environment: Environment
    let managesChannels: Bool
    var streams: Int32 = -1
  }

  static let session = "s1"
  private static let keys = ["KEY0000001", "KEY0000002", "KEY0000003"]
  static let certificate = "0123abcd"

  var stage: Stage
  var draw: GrammarDraw
  var callers: [Caller]
  private(set) var targets: [Target] = []
  private(set) var channels: [(app: Int, environment: Environment, id: String)] = []
  /// Phones with a card that shows the Allow question.
  private var asked: [UInt32] = []
  private var opened: UInt64 = 10
  private var calls: [UInt64] = []
  private var pushes: [(number: UInt64, connection: ProviderConnectionID)] = []
  /// Words that were written, read, and given to the world.
  private(set) var words: Set<String> = []
  /// The kinds of commands, and the actions, that were carried out.
  var done: Set<String> = []

  init(seed: UInt64, way: Stage.Way = .request) throws {
    var dice = Dice(seed: 0x6A09_E667 &+ seed)
    // In a larger fleet, an action of a fault on all devices is not done at once.
    let devices: UInt32 = dice.below(12) == 0 ? 230 : 3 + UInt32(dice.below(4))
    var apps = Stage.profiles
    apps[0].runningActivities = dice.below(2)
    var card = CardTemplate()
    card.link = try CardText("app://{attributes.id}")
    card.buttons = [.init("cheer", title: try CardText("Cheer {state.n}")), .init("mute", title: try CardText("Mute"))]
    for type in apps[0].types.indices { apps[0].types[type].card = card }
    var category = NotificationCategory("GOAL")
    category.buttons = [TouchButton("mute", title: "Mute")]
    category.reply = "Reply"
    apps[0].categories = [category]
    apps[0].traits.reportsCalls = [.never, .late(.seconds(3)), .atOnce, .atOnce][dice.below(4)]
    var policy = DevicePolicy()
    if dice.below(2) == 0 { policy.startTokens.afterSystemUpdate = .stale }
    if dice.below(3) == 0 { policy.updateTokenRotation = .seconds(7200) }
    // So little that something is always dropped.
    if dice.below(3) == 0 { (policy.memory, policy.fleetMemory) = (2_000, 256 * 4_000) }
    var store = PushStore.Plan()
    if dice.below(3) == 0 { (store.per, store.most) = (.app, 3) }
    if dice.below(4) == 0 { store.keeps = .lottery }
    if dice.below(4) == 0 { store.acknowledgement = .zero ... .seconds(4) }
    if dice.below(4) == 0 { store.mostBytesUnderway = 3_000 }
    store.givesNewSubscribersTheLatest = dice.below(3) == 0
    var rulebook = Rulebook()
    if dice.below(4) == 0 { rulebook.errorsPerConnection = 9 }
    if dice.below(4) == 0 { rulebook.block = .seconds(600) }
    if dice.below(4) == 0 { rulebook.narrowsStreams = true }
    if dice.below(4) == 0 { rulebook.otherTokenRate = RequestRate(perSecond: 1, burst: 3) }
    if dice.below(4) == 0 { rulebook.refusedCertificate = .goAway }
    // Some worlds are years ahead of the machine: they begin so, or nobody has looked at their phones for so long.
    let ahead = Duration.seconds([0, 0, 0, 1, 8, 60, 170][dice.below(7)] * 366 * 86_400)
    let isMoved = dice.below(2) == 0 && policy.updateTokenRotation == nil
    var phones = PhoneMix()
    phones.twoPhones = Odds(30, in: 100)
    stage = Stage(
      devices: devices, seed: seed, os: nil, apps: apps, phones: phones, policy: policy, budget: BudgetPlan(),
      store: store, reports: try Self.reports(), rulebook: rulebook,
      at: Stage.began.advanced(by: isMoved ? .zero : ahead))
    if isMoved { stage.advance(by: ahead) }
    // So small that faults, orders and broadcasts take several portions for a few phones.
    if dice.below(2) == 0 { stage.world.waves.portion = Portion(looks: 1, orders: 1, events: 1) }
    stage.way = way
    callers = [
      Caller(id: Stage.sandbox, environment: .sandbox, managesChannels: false),
      Caller(id: Stage.production, environment: .production, managesChannels: false),
    ]
    draw = GrammarDraw(dice: dice)
    draw.there.apps = apps.map(\.bundleID)
    draw.there.attributesTypes = apps[0].attributesTypes
    draw.there.devices = devices
    meetFleet()
  }

  /// The first app calls a backend, at a few of the events.
  private static func reports() throws -> ReportRegistry.Plan {
    var app = ReportPlan()
    app.backend = "http://127.0.0.1:9"
    app.follows = ReportPlan.Follows(key: "id")
    for event in [
      "launch", "foreground", "deviceToken", "activityToken", "action.follow", "action.unfollow", "action.look",
      "button.cheer", "button.mute", "reply", "cardTapped",
    ] {
      app.add(.init(try ReportEvent(event), [RequestTemplate(method: "POST", url: try Template("/" + event))]))
    }
    var plan = ReportRegistry.Plan()
    plan.apps = [app, nil]
    return plan
  }

  private mutating func meetFleet() {
    for device in 0..<min(6, draw.there.devices) {
      for app in stage.world.fleet.plan.apps.indices {
        for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0), .update(activity: 0)] {
          know(slot, app, device)
        }
      }
    }
  }

  private mutating func know(_ slot: TokenSlot, _ app: Int, _ device: UInt32) {
    guard let token = stage.world.fleet.token(DeviceID(device), app: app, slot: slot) else { return }
    if targets.count >= 60 { targets.remove(at: draw.dice.below(40)) }
    targets.append(Target(token: token.text, app: app, slot: slot))
  }

  /// Keeps from now on what a tape would; gives the world as it is before.
  mutating func record() -> World { stage.record() }

  // MARK: - Steps

  /// Makes a random call at one of the world's entry points, and returns the events it has led to.
  mutating func step() throws -> [WorldEvent] {
    look()
    switch draw.dice.below(100) {
    case 0..<38: push()
    case 38..<56: orderOne()
    case 56..<60: orderMany()
    case 60..<68: setFault()
    case 68..<72: deleteFaults()
    case 72..<76: register()
    case 76..<79: changeKeys()
    case 79..<83: connect()
    case 83..<87: manageChannels()
    case 87..<90: report()
    case 90..<99: pass()
    default: if draw.oneIn(3) { perform(.beginAnew) } else { perform(.deleteAllFaults) }
    }
    return read(stage.events())
  }

  /// The end of the day: nothing is left waiting.
  mutating func end() -> [WorldEvent] {
    for caller in callers { stage.world.connectionClosed(caller.id, at: stage.now) }
    callers = []
    perform(.deleteAllFaults)
    stage.advance(by: .seconds(86_400))
    return read(stage.events())
  }

  /// Notes what there is to be named.
  private mutating func look() {
    let devices = min(4, draw.there.devices)
    let cards = (0..<devices).map { stage.screen($0).cards }
    draw.there.activities = cards.flatMap { $0.map(\.id) }
    asked = (0..<devices).filter { cards[Int($0)].contains(where: \.asks) }
    draw.there.channels = channels.map(\.id)
    draw.there.tokens = targets.suffix(20).map(\.token) + [draw.dice.letters(0), "c0ffee0\(draw.dice.below(10))"]
    draw.there.connections = callers.map(\.id.number)
    draw.there.now = stage.now.world
  }

  private mutating func read(_ events: [WorldEvent]) -> [WorldEvent] {
    for event in events {
      switch event {
      case .phone(let device, let app?, .tokenIssued(let slot), _),
        .phone(let device, let app?, .tokenRegistered(let slot), _):
        know(slot, app, device.number)
      case .call(let record): calls.append(record.number)
      case .push(let record): pushes.append((record.sequence, record.stream.connection))
      case .channels(let record):
        guard record.operation == .create, let id = record.channelID?.text else { continue }
        let app = stage.world.fleet.plan.apps.firstIndex { $0.bundleID == record.home.bundleID } ?? 0
        channels.append((app, record.home.environment, id))
      default: continue
      }
    }
    pushes = pushes.suffix(20)
    channels = channels.suffix(2)
    return events
  }

  mutating func perform(_ command: Command) {
    guard (try? stage.world.perform(command, at: stage.now)) != nil else { return }
    done.insert(Self.kind(of: command))
    switch command {
    case .device(_, let action): done.insert("do \(action.name)")
    case .revokeCertificate, .suspendCertificates:
      // A connection leaves what it has to the world when keys or certificates have changed.
      stage.providers = [:]
    default: break
    }
  }

  static let kinds = [
    "order", "orders", "fault", "noFault", "noFaults", "noFaultsOfSession", "anew", "answer", "key", "noKey",
    "noCertificate", "token", "sameKey", "noCertificates", "sameCertificates",
  ]

  /// A new kind of order breaks the build here; draw it in `step`, and add it to the orders of a tape.
  static func kind(of command: Command) -> String {
    let place =
      switch command {
      case .device: 0
      case .devices: 1
      case .setFault: 2
      case .deleteFault: 3
      case .deleteAllFaults: 4
      case .deleteFaults: 5
      case .beginAnew: 6
      case .answer: 7
      case .addKey: 8
      case .revokeKey: 9
      case .revokeCertificate: 10
      case .register: 11
      case .restoreKey: 12
      case .suspendCertificates: 13
      case .restoreCertificates: 14
      }
    return kinds[place]
  }

  // MARK: - Orders

  private mutating func orderOne() {
    // A question does not stand for long, so it would hardly ever be answered by chance.
    if let asked = asked.first, draw.oneIn(4) { return order(draw.order(draw.oneOf(["allow", "deny"])), asked) }
    let written = draw.oneIn(8) ? draw.order("goOnline") : draw.order()
    order(written, UInt32(draw.dice.below(Int(min(6, draw.there.devices)))))
  }

  private mutating func order(_ written: JSONValue, _ device: UInt32) {
    guard let action = GrammarDraw.action(written) else { return }
    note(written)
    perform(.device(DeviceID(device), action))
  }

  private mutating func orderMany() {
    let written = draw.order()
    guard let action = GrammarDraw.action(written), let (place, selection) = draw.selection(in: stage.world.fleet)
    else {
      return
    }
    note(written)
    note("where", place)
    perform(.devices(selection, action))
  }

  private mutating func note(_ what: String, _ written: JSONValue?) {
    for member in written?.members ?? [] { words.insert("\(what) \(member.key)") }
  }

  private mutating func note(_ order: JSONValue) { note("do \(order["do"]?.string ?? "")", order) }

  private mutating func setFault() {
    let written = draw.fault()
    guard var fault = try? FaultReader.read(SourceNode(written), stage.world.fleet, at: stage.now.world) else { return }
    if draw.oneIn(6) {
      fault.session = Self.session
      fault.name = Fault.name(fault.name, of: Self.session)
      var scope = Filter()
      scope.devices = [DeviceID(0), DeviceID(1)]
      if fault.consequence.strikesPushes { fault.condition.scope = scope }
    }
    for (what, part) in [("then", written["then"]), ("when", written["when"]), ("fault", written)] { note(what, part) }
    perform(.setFault(fault))
  }

  private mutating func deleteFaults() {
    if draw.oneIn(4) { return perform(.deleteFaults(of: Self.session)) }
    perform(.deleteFault(draw.oneOf(stage.world.faults.active.map(\.fault.name) + ["none"])))
  }

  private mutating func register() {
    guard let (written, command) = draw.registration() else { return }
    note("token", written)
    perform(command)
  }

  private mutating func changeKeys() {
    let id = draw.oneOf(Self.keys)
    switch draw.dice.below(11) {
    case 0..<2: perform(.revokeKey(id))
    case 2: perform(.revokeCertificate(Self.certificate))
    case 3: perform(.restoreKey(id))
    case 4: perform(.suspendCertificates(draw.oneOf(["all", Self.certificate])))
    case 5: perform(.restoreCertificates(draw.oneOf(["all", Self.certificate])))
    default:
      let key = ProviderKey(
        keyID: id, teamID: Stage.team, environments: draw.oneIn(6) ? [.sandbox] : [.sandbox, .production],
        topics: draw.oneIn(6) ? [Stage.app] : nil)
      perform(.addKey(key, publicKey: "public"))
    }
  }

  /// A provider comes or goes.
  private mutating func connect() {
    if callers.count > 2, draw.oneIn(2) {
      let caller = callers.remove(at: draw.dice.below(callers.count))
      stage.world.connectionClosed(caller.id, at: stage.now)
      return
    }
    opened += 1
    let environment: Environment = draw.oneIn(2) ? .sandbox : .production
    let caller = Caller(
      id: ProviderConnectionID(opened), environment: environment, managesChannels: draw.oneIn(4))
    let certificate: ProviderCertificate? =
      draw.oneIn(3)
      ? .good.with(flaw: draw.oneIn(4) ? .noTopic : nil, fingerprint: Self.certificate) : nil
    callers.append(caller)
    stage.world.connectionOpened(
      caller.id, to: environment, peer: "127.0.0.1:\(50_000 + opened)", managesChannels: caller.managesChannels,
      certificate: certificate, at: stage.now)
  }

  /// Reports what the wire and the backends do.
  private mutating func report() {
    if !calls.isEmpty, !draw.oneIn(3) {
      let outcome: CallOutcome =
        draw.oneIn(3)
        ? .failed(.timedOut, "it took too long") : .answered(status: draw.oneOf([200, 204, 500]), body: nil)
      perform(.answer(calls.remove(at: draw.dice.below(calls.count)), outcome))
    } else if let push = pushes.last {
      stage.world.answerWent(
        to: push.number, on: push.connection, .nothing(draw.oneIn(2) ? .clientReset : .connectionEnded), at: stage.now)
    }
  }

  /// Time passes: at once, in steps, or only on the machine's clock.
  private mutating func pass() {
    switch draw.dice.below(8) {
    case 0: stage.world.stepWaves(at: stage.now)
    case 1:
      let seconds = Int64(draw.dice.below(9000)) - 2000
      stage.now = Now(world: stage.now.world, wall: Stage.began.advanced(by: .seconds(seconds)))
    case 2, 3:
      let limit = draw.oneOf([5, 60, 60, 900, 7200, 40_000, 400_000])
      stage.advance(by: .milliseconds(draw.dice.below(limit * 1000)))
    default:
      let limit = draw.oneOf([1, 5, 60, 60, 900, 7200])
      let target = Now(
        world: stage.now.world.advanced(by: .milliseconds(draw.dice.below(limit * 1000))), wall: stage.now.wall)
      // Work at the time that is reached comes before everything else.
      let reached = stage.world.step(to: target)
      stage.now = Now(world: reached ?? target.world, wall: target.wall)
      while let due = stage.world.nextDue, due <= stage.now.world, stage.world.step(to: stage.now) != nil {}
    }
  }
}
