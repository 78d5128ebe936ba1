import APNs
import Devices
import Timeline
import WireFormats

/// Something that goes wrong on purpose, with a name, a condition, a probability, a limit and a consequence.
package struct Fault: Hashable, Sendable {
  /// Valid lengths of a name in bytes.
  package static let nameLengths = 1...100

  /// The unique key; `label` is the name that its author gave it.
  package var name: String
  /// The session it belongs to; its condition then has the session's scope.
  package var session: String?
  package var condition = FaultCondition()
  package var odds = Odds.always
  /// Maximum number of strikes; nil for no limit.
  package var limit: UInt64?
  /// Start of the time in which it is in force; without times it is in force as long as it is set.
  package var from: Instant?
  package var until: Instant?
  package var consequence: Consequence
  /// `when`, `odds` and `then` as written by the user, for display; nil for a fault made in code or read from a tape.
  package var given: JSONValue?

  package init(_ name: String, _ consequence: Consequence) {
    self.name = name
    self.consequence = consequence
  }

  /// Returns the fault with times relative to an instant; before, they were relative to the beginning of time.
  package func counted(from now: Instant) -> Fault {
    var fault = self
    fault.from = from.map { now.advanced(by: .nanoseconds($0.nanoseconds)) }
    fault.until = until.map { now.advanced(by: .nanoseconds($0.nanoseconds)) }
    return fault
  }

  /// The consequence of a fault that strikes.
  package enum Consequence: Hashable, Sendable {
    case push(PushFault)
    case connection(ConnectionFault)
    /// Done to the matching devices when the fault comes into force, and reverted when it is removed.
    case devices(DeviceAction, heal: DeviceAction?)
    /// People's answers to questions that are asked while the fault is in force.
    case prompts(PromptFault)
    /// Loss, failure or delay of calls of apps to their backend.
    case reports(ReportFault)
    /// As long as it is in force.
    case listener(ListenerFault)

    /// The kind of fault.
    var kind: any FaultKind {
      switch self {
      case .push(let fault): fault.kind
      case .connection(let fault): fault.kind
      case .devices(let action, let heal): DeviceFault(action: action, heal: heal)
      case .prompts(let fault): fault
      case .reports(let fault): fault
      case .listener(let fault): fault
      }
    }

    /// `then` of the fault, in the form that `ConsequenceReader` reads.
    package var json: JSONValue { kind.json }

    /// True if it strikes pushes, or the connections they arrive on.
    var strikesPushes: Bool {
      switch self {
      case .push, .connection: true
      case .devices, .prompts, .reports, .listener: false
      }
    }

    /// True if it takes effect once when it comes into force, and lasts until it is removed.
    package var lastsUntilRemoved: Bool {
      switch self {
      case .devices, .prompts, .listener: true
      case .push, .connection, .reports: false
      }
    }
  }
}

/// The names of faults of sessions.
extension Fault {
  /// Names cannot contain this character, so a global fault is never mistaken for a session's fault.
  package static let separator: Character = "\u{1F}"

  /// The unique key of a session's fault: two sessions may have faults of the same name.
  package static func name(_ label: String, of session: String) -> String { session + String(separator) + label }

  /// The author's name for it.
  package var label: String { session.map { String(name.dropFirst($0.count + 1)) } ?? name }
}
