import APNs
import Devices
import Reporting
import WireFormats

/// Something that a matcher checks. A value that it does not have is nil.
protocol MatchSubject {
  var numbers: MatchNumbers { get }
  var device: DeviceID? { get }
  var address: Address? { get }
  var push: ParsedPush? { get }
  /// Number of the provider's key on the key ring.
  var key: Int? { get }
  /// Number of the step that sent it.
  var step: Int? { get }
  var reason: RejectionReason? { get }
  var sent: SentAnswer? { get }
  var fate: Fate? { get }
  var fault: String? { get }
  var failure: CallOutcome.Failure? { get }
  /// Of a broadcast or a request about channels.
  var operation: ChannelOperation? { get }

  /// True if the subject is about a channel of that name in the scenario, or of that id.
  func isChannel(_ name: String) -> Bool
  func hasID(_ id: NotificationID) -> Bool
  /// - Parameter bytes: the same name.
  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool
  /// The JSON body of the subject; nil if the body is not JSON.
  mutating func body() -> JSONValue?
}

extension MatchSubject {
  var device: DeviceID? { address?.device }
  var address: Address? { nil }
  var push: ParsedPush? { nil }
  var key: Int? { nil }
  var step: Int? { nil }
  var reason: RejectionReason? { nil }
  var sent: SentAnswer? { nil }
  var fate: Fate? { nil }
  var fault: String? { nil }
  var failure: CallOutcome.Failure? { nil }
  var operation: ChannelOperation? { nil }

  func isChannel(_ name: String) -> Bool { false }
  func hasID(_ id: NotificationID) -> Bool { false }
  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool { false }
  mutating func body() -> JSONValue? { nil }
}

/// A push that APNs accepted, before delivery, as faults see it.
struct AcceptedPushSubject: MatchSubject {
  let numbers: MatchNumbers
  let push: ParsedPush?
  let address: Address?
  let key: Int?
  /// Nil if its payload has not been parsed.
  private let event: ActivityEvent?
  private var payloadEvent = PayloadEvent()

  /// - Parameter event: nil if its payload has not been parsed; so is `os`, if no condition needs it.
  init(
    _ accepted: borrowing ReceivedPush, _ event: ActivityEvent?, to address: Address,
    on connection: ProviderConnectionID, os: OSVersion?
  ) {
    let push = accepted.push
    var numbers = MatchNumbers()
    numbers.set(push.environment)
    numbers.set(push.priority)
    if let type = push.type { numbers.set(type) }
    numbers.set(address.slot.kind)
    numbers.set(app: address.app)
    numbers.set(address.device)
    if let os { numbers.set(os) }
    numbers.connection = connection.number
    self.numbers = numbers
    self.push = push
    self.address = address
    key = accepted.keyNumber
    self.event = event
  }

  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool {
    if let event { return event.rawValue == name }
    guard let push else { return false }
    return payloadEvent.isEvent(name, bytes, in: push.request.storage, at: push.payloadRange)
  }
}

/// The known attributes of a push that identify its session.
struct ScopedPushSubject: MatchSubject {
  let numbers: MatchNumbers
  let push: ParsedPush?
  let device: DeviceID?
  let key: Int?

  init(_ traits: PushTraits, _ push: ParsedPush) {
    var numbers = MatchNumbers()
    if let device = traits.device { numbers.set(device) }
    self.numbers = numbers
    self.push = push
    device = traits.device
    key = traits.key
  }
}

/// A push in the push log.
struct LoggedPushSubject: MatchSubject {
  let numbers: MatchNumbers
  private let record: PushRecord
  private var read: JSONValue??

  init(_ record: PushRecord) {
    self.record = record
    numbers = MatchNumbers(record.facts)
  }

  var address: Address? { record.address }
  var push: ParsedPush? { record.push }
  var key: Int? { record.keyNumber }
  var reason: RejectionReason? { record.answer.rejection?.reason }
  var sent: SentAnswer? { record.sent }
  var fate: Fate? { record.fate }
  var fault: String? { record.fault }

  func hasID(_ id: NotificationID) -> Bool { record.answer.hasID(id) }
  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool { body()?["aps"]?["event"]?.string == name }

  mutating func body() -> JSONValue? {
    if let read { return read }
    let found = try? JSONValue.parse(Array(record.push.request.body))
    read = .some(found)
    return found
  }
}

extension MatchNumbers {
  /// The numbers of an answered push.
  init(_ facts: PushRecord.Facts) {
    self.init()
    set(facts.push.environment)
    connection = facts.stream.connection.number
    set(status: facts.answer.status)
    if let type = facts.push.type { set(type) }
    // Documented: a push without the header has priority 10.
    if let priority = facts.push.requestedPriority ?? (facts.push.priorityRange == nil ? .immediate : nil) {
      set(priority)
    }
    guard let address = facts.address else { return }
    set(address.slot.kind)
    set(app: address.app)
    set(address.device)
  }
}

/// A call of an app, when it is made or when it has ended.
struct CallSubject: MatchSubject {
  let numbers: MatchNumbers
  let device: DeviceID?
  let failure: CallOutcome.Failure?
  let event: String
  let status: Int?
  private let text: String?
  private var read: JSONValue??

  init(_ end: CallEnd) {
    var numbers = MatchNumbers()
    numbers.set(end.device)
    numbers.set(app: end.app)
    if let status = end.outcome.status { numbers.set(status: status) }
    numbers.set(isFailed: !end.outcome.isSuccess)
    self.numbers = numbers
    device = end.device
    event = end.event
    failure = end.outcome.failure
    status = end.outcome.status
    text = end.body
  }

  init(_ call: ReportFaultIndex.Call) {
    var numbers = MatchNumbers()
    numbers.set(call.device)
    numbers.set(app: call.app)
    numbers.set(call.os)
    self.numbers = numbers
    device = call.device
    event = call.event
    failure = nil
    status = nil
    text = nil
  }

  var hasBody: Bool { text != nil }

  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool { Filter.event(name, covers: event) }

  /// Nil also if the body was too long to keep.
  mutating func body() -> JSONValue? {
    if let read { return read }
    let found = text.flatMap { try? JSONValue.parse(Array($0.utf8)) }
    read = .some(found)
    return found
  }
}

extension CallOutcome {
  var failure: Failure? { if case .failed(let failure, _) = self { failure } else { nil } }
}

extension Filter {
  /// True if an event name includes another: itself, and narrower ones.
  package static func event(_ wide: String, covers name: String) -> Bool {
    name.hasPrefix(wide) && (name.utf8.count == wide.utf8.count || name.dropFirst(wide.count).first == ".")
  }
}

/// A phone event.
struct DeviceEventSubject: MatchSubject {
  let numbers: MatchNumbers
  let device: DeviceID?
  private let name: String

  init(_ name: String, on device: DeviceID, app: Int?) {
    var numbers = MatchNumbers()
    numbers.set(device)
    if let app { numbers.set(app: app) }
    self.numbers = numbers
    self.device = device
    self.name = name
  }

  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool { self.name == name }
}

extension DeviceEventSubject: DescribedSubject {
  var kind: Filter.Kind { .event }
  var withoutBody: String { "it has no body" }

  mutating func found(_ part: Filter.Part) -> String {
    switch part {
    case .event: name
    case .devices: device?.text ?? "none"
    default: "another"
    }
  }
}

/// A provider's connection.
struct ConnectionSubject: MatchSubject {
  let numbers: MatchNumbers

  init(_ connection: ProviderConnectionID, to environment: Environment) {
    var numbers = MatchNumbers()
    numbers.connection = connection.number
    numbers.set(environment)
    self.numbers = numbers
  }
}

/// A device of the fleet.
struct DeviceSubject: MatchSubject {
  let numbers: MatchNumbers
  let device: DeviceID?

  /// - Parameter matcher: determines which values are needed.
  init(_ device: DeviceID, _ fleet: borrowing Fleet, for matcher: borrowing Matcher) {
    var numbers = MatchNumbers()
    numbers.set(device)
    if matcher.parts.contains(.os) { numbers.set(fleet.os(of: device)) }
    if matcher.parts.contains(.isOnline) { numbers.set(isOnline: fleet.isOnline(device)) }
    if matcher.parts.contains(.app), let app = matcher.app, fleet.install(device, app: app).isInstalled {
      numbers.set(app: app)
    }
    self.numbers = numbers
    self.device = device
  }
}

/// A token that an app has or had.
struct TokenSubject: MatchSubject {
  let numbers: MatchNumbers
  let address: Address?

  /// - Parameter isLive: called only if the matcher needs it.
  init(_ address: Address, _ fleet: borrowing Fleet, for matcher: borrowing Matcher, isLive: () -> Bool) {
    var numbers = MatchNumbers()
    numbers.set(address.device)
    numbers.set(app: address.app)
    numbers.set(address.slot.kind)
    if matcher.parts.contains(.environment) { numbers.set(fleet.environment(of: address.device, app: address.app)) }
    if matcher.parts.contains(.os) { numbers.set(fleet.os(of: address.device)) }
    if matcher.parts.contains(.isOnline) { numbers.set(isOnline: fleet.isOnline(address.device)) }
    if matcher.parts.contains(.isLive) { numbers.set(isLive: isLive()) }
    self.numbers = numbers
    self.address = address
  }
}
