import APNs
import Devices
import Timeline

/// The numeric conditions of a fault, so that a push that does not match costs only a few instructions: fifty faults
/// must not make every push 10 % slower.
struct FaultMatcher: Sendable {
  /// Environment, priority, push type, kind of token and app of a push, packed into one word.
  struct Facts {
    let word: UInt64
    let connection: UInt64

    init(_ facts: PushAttributes) {
      word =
        FaultMatcher.number(of: facts.environment) << Part.environment
        | UInt64(facts.priority.rawValue) << Part.priority
        | (facts.type.map { FaultMatcher.number(of: $0) } ?? 0xFE) << Part.type
        | FaultMatcher.number(of: facts.address.slot.kind) << Part.kind
        | UInt64(UInt16(truncatingIfNeeded: facts.address.app)) << Part.app
      connection = facts.connection
    }
  }

  private enum Part {
    static let environment: UInt64 = 0
    static let priority: UInt64 = 8
    static let type: UInt64 = 16
    static let kind: UInt64 = 24
    static let app: UInt64 = 32
  }

  /// Index of the fault in the list.
  let place: Int
  private var word: UInt64 = 0
  private var mask: UInt64 = 0
  private let connection: UInt64
  private let connectionMask: UInt64
  /// Whether any of the following is used.
  private let asksMore: Bool
  private let from: Instant
  private let until: Instant
  private let os: OSPattern?
  private let share: Odds
  private let chance: Chance
  /// The required event, by its index in the list of all events that faults use.
  let event: Int?
  /// Whether there are conditions that are not numbers: device ids, a session.
  let asksWho: Bool

  /// - Parameters:
  ///   - events: the events that faults use.
  ///   - chance: draws the share of devices.
  init(_ fault: Fault, at place: Int, apps: [String], events: [String], chance: Chance) {
    let condition = fault.condition
    self.place = place
    from = fault.from ?? .distantPast
    until = fault.until ?? .distantFuture
    os = condition.os
    share = condition.share
    self.chance = chance
    asksWho = condition.scope != nil || condition.devices != nil
    connection = condition.connection ?? 0
    connectionMask = condition.connection == nil ? 0 : .max
    event = condition.event.flatMap { events.firstIndex(of: $0) }
    asksMore = condition.share != .always || condition.os != nil || fault.from != nil || fault.until != nil
    if let environment = condition.environment { ask(Self.number(of: environment), 0xFF, at: Part.environment) }
    if let priority = condition.priority { ask(UInt64(priority.rawValue), 0xFF, at: Part.priority) }
    if let type = condition.pushType { ask(Self.number(of: type), 0xFF, at: Part.type) }
    if let kind = condition.tokenKind { ask(Self.number(of: kind), 0xFF, at: Part.kind) }
    if let app = condition.app {
      // An app that does not exist gets a number that no app has.
      ask(UInt64(apps.firstIndex(of: app) ?? 0xFFFF), 0xFFFF, at: Part.app)
    }
  }

  private mutating func ask(_ number: UInt64, _ bits: UInt64, at part: UInt64) {
    word |= number << part
    mask |= bits << part
  }

  @inline(__always)
  func passes(_ facts: Facts) -> Bool {
    (facts.word ^ word) & mask | (facts.connection ^ connection) & connectionMask == 0
  }

  /// Whether its time and its share of the phones match.
  @inline(__always)
  func holds(_ device: DeviceID, _ os: OSVersion, at now: Instant) -> Bool {
    guard asksMore else { return true }
    return from <= now && (now < until || until == .distantFuture) && (self.os?.matches(os) ?? true)
      && chance.strikes(share, UInt64(device.number))
  }

  private static func number(of environment: Environment) -> UInt64 {
    switch environment {
    case .sandbox: 0
    case .production: 1
    }
  }

  private static func number(of type: PushType) -> UInt64 {
    switch type {
    case .alert: 0
    case .background: 1
    case .location: 2
    case .voip: 3
    case .complication: 4
    case .fileprovider: 5
    case .mdm: 6
    case .liveactivity: 7
    case .pushtotalk: 8
    case .controls: 9
    case .widgets: 10
    }
  }

  private static func number(of kind: TokenKind) -> UInt64 {
    switch kind {
    case .device: 0
    case .pushToStart: 1
    case .update: 2
    case .service(let suffix): 16 + UInt64(suffix.rawValue)
    }
  }
}
