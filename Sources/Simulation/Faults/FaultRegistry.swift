import APNs
import Devices
import Timeline

/// The faults that are set, and how often each has struck.
///
/// `odds` and `share` do not depend on the order of arrival: a draw follows from the seed, the fault's name, the
/// token's place and how many of that token's pushes the fault has looked at. With them alone the same pushes are
/// struck in any interleaving and on any number of connections. `skip`, `every` and `limit` count matching pushes of
/// all tokens as they arrive, so which pushes they mean does depend on it.
package struct FaultRegistry: Sendable {
  package struct Armed: Sendable {
    package let fault: Fault
    /// Tells it apart from others of its name, before and after it.
    let serial: UInt64
    /// Pushes that met its condition.
    package fileprivate(set) var seen: UInt64 = 0
    package fileprivate(set) var struck: UInt64 = 0
    /// A timed one has been done, and not taken back.
    package var isInForce = false
    /// The devices to which it was done, as far as it could be.
    package internal(set) var done: [DeviceID] = []
    let odds: Chance
    let matcher: Matcher
    /// Of its session.
    let scope: Matcher?
    /// Looks by token, connection or app; kept only where the odds are neither never nor always.
    fileprivate(set) var looks = MatchCounts()
    /// Connections it waits for to have been silent for long enough, each once, by when that may be.
    var quiet = Agenda<ProviderConnectionID>()
    /// Since when a connection that it struck for its silence had been silent.
    var silences: [UInt64: Instant] = [:]

    /// Whether it has struck, or has been done.
    var isUsed: Bool { struck > 0 }
  }

  /// Most faults that may be set at once.
  package static let most = 1000

  package internal(set) var armed: [Armed] = []
  /// Connections on which every push is refused.
  var sticky: [UInt64: [Sticky]] = [:]
  /// By how much the clock is off by which provider tokens of a connection are judged.
  var skews: [UInt64: Duration] = [:]
  /// Connections that were told to go away, with the last stream that is served.
  var leaving: [UInt64: Int32] = [:]
  /// What stays wrong with connections until the fault is taken back.
  var marks: [UInt64: [Mark]] = [:]
  /// When each connection last brought a push, or came; kept only while some fault waits for silence.
  var lastHeard: [UInt64: Instant] = [:]
  /// When silences are looked at next.
  var nextLook: Instant?
  /// How the phones of each fault about questions are, in the order of the faults.
  private(set) var prompts: [(name: String, model: PhoneModel)] = []
  /// Chance for how long answers and calls are delayed.
  let delays: Chance
  /// The answer to the push at hand, where it goes its own way.
  var apart: AlteredAnswer?
  /// What has been held back, by number.
  var held = DelayedWireCommands()
  /// What is done to many devices. They are not in the schedule: pushes do not wait for
  /// a fault to reach a million devices.
  var waves = DeviceWaves()
  /// Those that strike pushes; empty when none does, which is what is asked before every push.
  private var watching: [Watch] = []
  /// Whether any of these is for some versions of iOS only.
  private(set) var asksForOS = false
  /// Places of those that strike connections as they open, after a silence, and of those that strike reports.
  private(set) var opening: [Int] = []
  private(set) var waiting: [Int] = []
  private(set) var reporting: [Int] = []
  private let chance: Chance
  private let apps: [String]
  /// Faults set so far.
  private var serials: UInt64 = 0
  /// Silences that have been looked at: the measure of the work done for them.
  var silencesLookedAt = 0

  /// What is looked at of a fault for each push.
  private struct Watch: Sendable {
    /// Place of the fault among those that are set.
    let place: Int
    let from: Instant
    let until: Instant
    let hasScope: Bool
    let matcher: Matcher

    func isOn(at now: Instant) -> Bool { from <= now && (now < until || until == .distantFuture) }
  }

  init(seed: UInt64, apps: [String]) {
    chance = Chance(seed: seed).stream(for: "faults")
    delays = Chance(seed: seed).stream(for: "answer delay")
    self.apps = apps
  }

  var strikesPushes: Bool { !watching.isEmpty || !sticky.isEmpty }

  /// - Returns: its serial number.
  mutating func set(_ fault: Fault) -> UInt64 {
    serials += 1
    let armed = Armed(
      fault: fault, serial: serials, odds: chance.stream(for: "odds " + fault.label),
      matcher: Matcher(fault.condition.filter, apps: apps, share: chance.stream(for: "share " + fault.label)),
      scope: fault.condition.scope.map { Matcher($0, apps: apps) })
    if let place = self.armed.firstIndex(where: { $0.fault.name == fault.name }) {
      self.armed[place] = armed
    } else {
      self.armed.append(armed)
    }
    rebuildIndex()
    return serials
  }

  mutating func remove(_ name: String) -> Armed? {
    guard let place = armed.firstIndex(where: { $0.fault.name == name }) else { return nil }
    defer { rebuildIndex() }
    return armed.remove(at: place)
  }

  package subscript(name: String) -> Armed? { armed.first { $0.fault.name == name } }

  /// The name of the fault that was set so, if that still is.
  func name(_ serial: UInt64) -> String? { armed.first { $0.serial == serial }?.fault.name }

  /// What the faults in force want of listeners, in their order.
  var listeners: [(fault: ListenerFault, environment: Environment?)] {
    armed.compactMap { armed in
      guard armed.isInForce, case .listener(let fault) = armed.fault.consequence else { return nil }
      return (fault, armed.fault.condition.filter.environment)
    }
  }

  /// How the phones of a fault about questions are, while it is in force; nil takes it back.
  mutating func setModel(_ model: PhoneModel?, of name: String) {
    if let model {
      prompts.append((name, model))
    } else {
      prompts.removeAll { $0.name == name }
    }
  }

  mutating func force(_ name: String, _ isInForce: Bool) {
    guard let place = armed.firstIndex(where: { $0.fault.name == name }) else { return }
    armed[place].isInForce = isInForce
    armed[place].done = []
    if isInForce { armed[place].struck += 1 }
  }

  private mutating func rebuildIndex() {
    opening = armed.indices.filter { armed[$0].fault.condition.isOpening }
    waiting = armed.indices.filter { armed[$0].fault.condition.idle != nil }
    reporting = armed.indices.filter { if case .reports = armed[$0].fault.consequence { true } else { false } }
    watching = armed.indices.filter {
      armed[$0].fault.consequence.strikesPushes && !armed[$0].fault.condition.isOfConnections
    }
    .map {
      Watch(
        place: $0, from: armed[$0].fault.from ?? .distantPast, until: armed[$0].fault.until ?? .distantFuture,
        hasScope: armed[$0].scope != nil, matcher: armed[$0].matcher)
    }
    asksForOS = watching.contains { $0.matcher.parts.contains(.os) }
    if waiting.isEmpty { lastHeard = [:] }
  }

  /// The first fault that strikes a push; nil for none.
  mutating func strike(_ push: inout AcceptedPushSubject, at address: Address, at now: Instant) -> Fault? {
    for index in watching.indices {
      guard watching[index].matcher.passes(push.numbers), watching[index].isOn(at: now),
        watching[index].matcher.matches(&push)
      else { continue }
      let place = watching[index].place
      if watching[index].hasScope, let scope = armed[place].scope, !scope.matches(&push) { continue }
      let token = UInt64(address.device.number) << 24 ^ address.slotNumber
      if counts(place, of: token) { return armed[place].fault }
    }
    return nil
  }

  /// What a fault is for has come: whether it strikes this time.
  ///
  /// - Parameter subject: what its chance is drawn for, look by look.
  mutating func counts(_ place: Int, of subject: UInt64) -> Bool {
    armed[place].seen += 1
    let odds = armed[place].fault.odds
    let look = odds == .always || odds == .never ? 0 : armed[place].looks.next(subject)
    let (skip, every) = (armed[place].fault.condition.skip, armed[place].fault.condition.every)
    guard armed[place].seen > skip, (armed[place].seen - skip - 1) % every == 0,
      armed[place].fault.limit.map({ armed[place].struck < $0 }) ?? true,
      armed[place].odds.strikes(odds, subject, look)
    else { return false }
    armed[place].struck += 1
    return true
  }
}

extension Address {
  /// Tells the tokens of a device apart.
  var slotNumber: UInt64 {
    let (kind, number): (UInt64, UInt64) =
      switch slot {
      case .app: (0, 0)
      case .service: (1, 0)
      case .pushToStart(let type): (2, UInt64(type))
      case .update(let activity): (3, UInt64(activity))
      }
    return UInt64(app) << 56 ^ kind << 20 ^ number
  }
}
