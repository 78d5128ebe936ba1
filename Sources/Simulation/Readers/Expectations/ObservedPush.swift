import APNs
import Devices
import Reporting
import WireFormats

/// A push as an expectation sees it: with its current fate, and the step that sent it.
struct ObservedPush: DescribedSubject {
  let facts: PushRecord.Facts
  let numbers: MatchNumbers
  /// Number of the step that sent it; nil for pushes of other providers.
  let step: Int?
  /// Name of that step.
  let stepName: String?
  /// Nil while its fate is the first.
  private var later: Fate?
  /// Nil while nothing was sent but the first answer.
  private var laterAnswer: SentAnswer?
  /// The parsed payload of a push. Pushes of one template share it: pass it from one to the next.
  var content: PushContent?

  /// - Parameter fate: its current fate; nil for the first.
  @inline(__always)
  init(_ facts: PushRecord.Facts, fate: Fate?, answer: SentAnswer?, step: Int?, name: String? = nil) {
    self.facts = facts
    numbers = MatchNumbers(facts)
    later = fate
    laterAnswer = answer
    self.step = step
    stepName = name
  }

  /// As the push log has it.
  init(_ record: PushRecord, step: Int?, name: String?) {
    self.init(record.facts, fate: record.fate, answer: record.sent, step: step, name: name)
  }

  /// The current fate of the push.
  var current: Fate {
    get { later ?? facts.firstFate }
    set { later = newValue }
  }

  /// The answer that has been sent so far.
  var answer: SentAnswer {
    get { laterAnswer ?? facts.firstSent ?? .answer(status: facts.answer.status) }
    set { laterAnswer = newValue }
  }

  /// True if another answer is likely to follow.
  var isAnswerHeld: Bool { if case .pending = answer { true } else { false } }

  /// True if the fate and the answer of the push are final.
  var isSettled: Bool { current.isFinal && !isAnswerHeld }

  /// As decided.
  var status: Int { facts.answer.status }

  var address: Address? { facts.address }
  var push: ParsedPush? { facts.push }
  var key: Int? { facts.keyNumber }
  var reason: RejectionReason? { facts.answer.rejection?.reason }
  var sent: SentAnswer? { answer }
  var fate: Fate? { current }
  var fault: String? { facts.fault }

  func hasID(_ id: NotificationID) -> Bool { facts.answer.hasID(id) }
  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool {
    load()
    return content?.isEvent(name, bytes) ?? false
  }

  mutating func body() -> JSONValue? {
    load()
    return content?.body() ?? nil
  }

  private mutating func load() {
    if content?.push !== facts.push { content = PushContent(facts.push) }
  }

  // MARK: - For verdicts

  var kind: Filter.Kind { .push }
  var withoutBody: String { "its payload is not JSON" }

  mutating func found(_ part: Filter.Part) -> String {
    switch part {
    case .step: return stepName ?? "one without a name"
    case .status: return "\(status)"
    case .sent: return answer.words
    case .reason: return reason?.rawValue ?? "none"
    case .devices: return facts.address?.device.text ?? "none"
    case .tokenKind: return facts.address?.slot.kind.name ?? "none"
    case .fate: return current.words
    case .outcome: return current.outcome ?? "none"
    case .cause: return current.causes.isEmpty ? "none" : current.causes.joined(separator: " and ")
    case .type: return facts.push.typeRange.map(facts.push.text) ?? "none"
    case .priority: return facts.push.priorityRange.map(facts.push.text) ?? "10"
    case .fault: return facts.fault ?? "none"
    case .connection: return "\(facts.stream.connection.number)"
    case .environment: return facts.push.environment.rawValue
    case .id: return facts.answer.id.text
    case .event: return body()?["aps"]?["event"]?.string ?? "none"
    default: return "another"
    }
  }
}

/// A push's payload, parsed on demand: most expectations do not need it.
struct PushContent {
  let push: ParsedPush
  /// The JSON body once it is parsed, at index 0. In an array, because copying a `JSONValue??` for each push costs more
  /// than everything else that is done with it.
  private var parsed: [JSONValue?] = []
  private var event = PayloadEvent()

  init(_ push: ParsedPush) { self.push = push }

  /// The JSON body; nil if it is not JSON, or longer than the part that is kept.
  mutating func body() -> JSONValue? {
    if let parsed = parsed.first { return parsed }
    let found = try? JSONValue.parse(Array(push.request.body))
    parsed = [found]
    return found
  }

  mutating func isEvent(_ name: String, _ bytes: [UInt8]) -> Bool {
    event.isEvent(name, bytes, in: push.request.storage, at: push.payloadRange)
  }
}

extension CallSubject: DescribedSubject {
  var kind: Filter.Kind { .report }
  var withoutBody: String { hasBody ? "its body is not JSON" : "it has no body" }

  mutating func found(_ part: Filter.Part) -> String {
    switch part {
    case .event: event
    case .devices: device?.text ?? "none"
    case .status: status.map { "\($0)" } ?? "none"
    case .failure: failure?.rawValue ?? "none"
    default: "another"
    }
  }
}
