import APNs
import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// A day that is lived in several worlds, each of which gets its pushes another way: verdicts, events and tapes must be
/// equal.
///
/// An input is a list of steps, each ended by a byte 0xFF; `WayStep` reads one.
struct WaysTarget {
  private static let mostSteps = 60
  /// Number of calls that a world has recorded at most: faults, people and time multiply.
  private static let mostEvents = 20_000

  static func run(_ bytes: [UInt8]) throws(FuzzFinding) { _ = try worlds(after: bytes) }

  /// The worlds at the end of their equal days.
  static func worlds(after bytes: [UInt8]) throws(FuzzFinding) -> [WayWorld] {
    var choices = Choices(bytes)
    var worlds = WayOfPush.allCases.map { WayWorld($0) }
    var steps = 0
    while !choices.isAtEnd, steps < mostSteps, worlds[0].eventCount < mostEvents {
      var bytes = Choices(choices.run(until: 0xFF))
      let step = WayStep(&bytes, in: worlds[0])
      try live(step, in: &worlds, "step \(steps), \(step.name)")
      steps += 1
    }
    try live(.advance(.seconds(86_400), wall: .zero), in: &worlds, "the day after")
    for world in worlds { try world.town.replay() }
    return worlds
  }

  private static func live(_ step: WayStep, in worlds: inout [WayWorld], _ name: String) throws(FuzzFinding) {
    var expected: [WorldEvent] = []
    var calls: [RecordedCall] = []
    for index in worlds.indices {
      let events = try worlds[index].live(step)
      if index == 0 {
        (expected, calls) = (events, worlds[0].town.lastCalls)
        continue
      }
      let way = "\(name), \(worlds[index].way.rawValue)"
      if let place = zip(expected, events).enumerated().first(where: { $1.0 != $1.1 })?.offset {
        throw FuzzFinding("\(way): \(text(events[place])) in place of \(text(expected[place]))")
      }
      try FuzzFinding.require(events.count == expected.count, "\(way): \(events.count) events, not \(expected.count)")
      try FuzzFinding.require(worlds[index].town.lastCalls == calls, "\(way): the tape has other calls")
    }
  }

  private static func text(_ event: WorldEvent) -> String {
    guard case .push(let record) = event else { return "\(event)" }
    return
      "push \(record.sequence), \(record.answer), \(record.firstFate), fault \(record.fault ?? "-"), \(record.sent)"
  }
}

/// The way in which pushes reach a world.
enum WayOfPush: String, CaseIterable {
  /// The world validates the whole request.
  case request
  /// The connection validates what it can, in batches, as the gateway does.
  case examined
  /// A template that is written to each of its devices, as `simulate` does.
  case shared
}

/// A world with what the senders of one way know of it.
struct WayWorld {
  let way: WayOfPush
  var town: Town
  private(set) var eventCount = 0
  /// Pushes that did not have to be validated by the world as whole requests.
  private(set) var pushesThatWay = 0
  /// Reasons of answers, names of fates and kinds of faults that have struck.
  private(set) var seen: Set<String> = []
  /// Tokens that were issued or registered, dead ones too, in the order of their appearance.
  private(set) var tokens: [WayToken] = []
  /// The id of a channel of the first app, which stores messages.
  private(set) var channel = ""
  /// The state of each connection, and the rules, when the world last validated a request on it.
  private var examined: [ProviderConnectionID: (provider: ProviderConnection, rules: PushRules)] = [:]
  private var streams: [ProviderConnectionID: Int32] = [:]

  private static let mostTokens = 200

  init(_ way: WayOfPush) {
    self.way = way
    // So small that faults and broadcasts take several portions for three phones.
    town = Town(ring: WayStep.ring, portion: Portion(looks: 3, orders: 2, events: 2))
    for device in 0..<Town.devices {
      for app in 0..<2 {
        for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0)] {
          know(slot, app, DeviceID(device))
        }
      }
    }
    town.simulator.world.receive(WayStep.newChannel, on: StreamID(Town.channels, 1), at: town.now)
    for case .channels(let record) in town.happened() { channel = record.answer.channelID?.text ?? "" }
  }

  private mutating func know(_ slot: TokenSlot, _ app: Int, _ device: DeviceID) {
    guard let token = town.simulator.world.fleet.token(device, app: app, slot: slot) else { return }
    if tokens.count >= Self.mostTokens { tokens.removeFirst(Self.mostTokens / 2) }
    tokens.append(WayToken(token: token, app: app, slot: slot))
  }

  mutating func live(_ step: WayStep) throws(FuzzFinding) -> [WorldEvent] {
    switch step {
    case .pushes(let pushes, let connection):
      let hadWaves = town.simulator.world.hasWaves
      send(pushes, on: connection)
      if !hadWaves, town.simulator.world.hasWaves { seen.insert("broadcast in portions") }
    case .advance(let duration, let wall):
      town.wall = town.wall.advanced(by: wall)
      town.simulator.clock.advance(by: duration)
      town.simulator.world.advance(to: town.now)
    case .wave: town.simulator.stepWaves(at: town.now)
    case .perform(let command):
      do throws(CommandProblem) {
        try town.simulator.world.perform(command, at: town.now)
      } catch {
        try FuzzFinding.require(!error.sentence.isEmpty, "an order was refused without a word")
      }
    // The gateway never opens a connection twice.
    case .open(let connection, _, _) where town.simulator.world.provider(of: connection) != nil: break
    case .open(let connection, let environment, let certificate):
      town.simulator.world.connectionOpened(
        connection, to: environment, peer: "127.0.0.1:50009", certificate: certificate, at: town.now)
    case .close(let connection):
      town.simulator.world.connectionClosed(connection, at: town.now)
      examined[connection] = nil
    case .answered(let push, let connection, let sent):
      town.simulator.world.answerWent(to: push, on: connection, sent, at: town.now)
    }
    let events = town.happened()
    eventCount += events.count
    for event in events {
      switch event {
      case .phone(let device, let app?, .tokenIssued(let slot), _),
        .phone(let device, let app?, .tokenRegistered(let slot), _):
        know(slot, app, device)
      case .push(let record):
        seen.insert(record.answer.rejection?.reason.rawValue ?? "200")
        seen.insert(record.sent.name)
      case .faultStruck, .connectionStruck: seen.insert("struck")
      case .broadcastReached(_, _, let fate, _): seen.insert("broadcast: \(fate.words)")
      case .wire(_, let command): seen.insert(String("\(command)".prefix { $0 != "(" }))
      default: break
      }
    }
    return events
  }

  // MARK: - Pushes

  private mutating func send(_ pushes: [WayPush], on connection: ProviderConnectionID) {
    let requests = pushes.map { push in
      let number = (streams[connection] ?? 999) + 2
      streams[connection] = number
      return (push: push, stream: StreamID(connection, number))
    }
    switch way {
    case .request:
      for (push, stream) in requests { town.simulator.world.receive(push.request, on: stream, at: town.now) }
    case .examined: sendExamined(requests.map { ($0.push.request, $0.stream) }, on: connection)
    case .shared: sendShared(requests)
    }
  }

  /// As `Gateway` does: what the connection has examined comes first, and the rest is examined by the world.
  private mutating func sendExamined(
    _ requests: [(request: HTTPRequest, stream: StreamID)], on connection: ProviderConnectionID
  ) {
    var rest = requests[...]
    while !rest.isEmpty {
      let sealed = town.simulator.world.fleet.sealed
      var list: [(CheckedPush, ParsedActivityUpdate?)] = []
      // What was checked by rules of an earlier generation is checked by the world.
      if let (known, rules) = examined[connection], rules.generation == town.simulator.world.rules.generation {
        var provider = known
        for (request, _) in rest {
          guard let checked = rules.check(request, on: &provider, sealed, at: town.now.wall) else { break }
          list.append((checked, activity(request, checked.address)))
        }
        examined[connection] = (provider, rules)
      }
      var taken = 0
      for (index, (request, stream)) in rest.enumerated() {
        taken += 1
        if index < list.count { pushesThatWay += 1 }
        let streamsStay =
          index < list.count
          ? town.simulator.world.receive(list[index].0, list[index].1, on: stream, at: town.now)
          : town.simulator.world.receive(request, on: stream, at: town.now)
        if !streamsStay { break }
      }
      if taken > list.count || examined[connection] == nil {
        let rules = town.simulator.world.rules
        examined[connection] = town.simulator.world.provider(of: connection).map { ($0, rules) }
      }
      rest = rest.dropFirst(taken)
    }
  }

  private func activity(_ request: HTTPRequest, _ address: Address?) -> ParsedActivityUpdate? {
    guard let address, address.slot.isActivity else { return nil }
    let apps = town.simulator.world.fleet.plan.apps
    return ParsedActivityUpdate.read(request, for: apps[address.app].types.map(\.contentState))
  }

  /// As a simulated provider does: one template for devices in a row that get the same push.
  private mutating func sendShared(_ requests: [(push: WayPush, stream: StreamID)]) {
    var prepared: (push: WayPush, template: PushTemplate)?
    for (push, stream) in requests {
      let world = town.simulator.world
      guard let address = push.token.flatMap({ world.fleet.sealed.address(of: $0) }), !push.isOdd,
        let environment = world.provider(of: stream.connection)?.environment
      else {
        town.simulator.world.receive(push.request, on: stream, at: town.now)
        continue
      }
      if prepared?.push.isLike(push) != true {
        let template = PushTemplate(
          push.request, in: environment, to: world.fleet.plan.apps[address.app], makeToken: world.fleet.tokenMaker)
        prepared = (push, template)
      } else {
        pushesThatWay += 1
      }
      guard let (_, template) = prepared else { continue }
      town.simulator.world.receive(template, to: address, on: stream, at: town.now)
    }
  }
}

/// A token that senders have, and what it stood for when they got it.
struct WayToken {
  let token: DeviceToken
  let app: Int
  let slot: TokenSlot
}

/// A push to one device.
struct WayPush {
  let request: HTTPRequest
  /// Nil if the path has none.
  let token: DeviceToken?
  let app: Int
  /// The path or the method is not that of a push.
  let isOdd: Bool
  private let fields: [(name: String, value: String)]
  private let body: [UInt8]

  init(
    _ method: String, _ path: String, _ fields: [(name: String, value: String)], _ body: [UInt8], token: DeviceToken?,
    app: Int
  ) {
    request = HTTPRequest(method, path, fields: fields, body: body)
    isOdd = method != "POST" || token.map { path != "/3/device/" + $0.text } ?? true
    (self.token, self.app, self.fields, self.body) = (token, app, fields, body)
  }

  /// True if a template of the other push serves this one.
  func isLike(_ other: WayPush) -> Bool {
    app == other.app && body == other.body && token?.count == other.token?.count
      && fields.elementsEqual(other.fields) { $0 == $1 }
  }
}
