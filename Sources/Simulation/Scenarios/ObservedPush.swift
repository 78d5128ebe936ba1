import APNs
import Devices
import WireFormats

/// A push as an expectation looks at it: with the fate it has by now, and the step that sent it.
struct ObservedPush {
  let facts: PushRecord.Facts
  var fate: Fate
  /// What was sent in answer by now.
  var sent: SentAnswer
  /// Name of the step that sent it; nil for one without, and for pushes of others.
  let step: String?
  /// Read when first asked for: most expectations never do.
  private var body: JSONValue??

  init(_ record: PushRecord, _ fate: Fate, step: String?) {
    facts = record.facts
    self.fate = fate
    sent = record.sent
    self.step = step
  }

  /// Whether something else is likely to be sent yet.
  var isAnswerHeld: Bool { if case .pending = sent { true } else { false } }

  /// What was decided.
  var status: Int { facts.answer.status }
  var reason: RejectionReason? { facts.answer.rejection?.reason }

  func header(_ name: String) -> String? {
    facts.push.request(to: facts.address).fields.list.first { $0.name == name }?.value
  }

  /// Its JSON body; nil for one that is no JSON.
  mutating func payload() -> JSONValue? {
    if let body { return body }
    let found = try? JSONValue.parse(facts.push.request.body.map(\.self))
    body = .some(found)
    return found
  }

  mutating func event() -> String? { payload()?["aps"]?["event"]?.string }

  var type: String? { facts.push.typeRange.map(facts.push.text) }
  /// Documented: without the header a push has priority 10.
  var priority: String { facts.push.priorityRange.map(facts.push.text) ?? "10" }

  func isType(_ type: PushType) -> Bool { facts.push.type == type }

  /// Whether that is its priority as it is written.
  func isPriority(_ number: Int) -> Bool {
    if let known = facts.push.requestedPriority { return Int(known.rawValue) == number }
    return priority == "\(number)"
  }
}

/// A call of an app as an expectation looks at it.
struct ObservedReport {
  let end: CallEnd
  /// Read when first asked for: most expectations never do.
  private var read: JSONValue??

  init(_ end: CallEnd) { self.end = end }

  /// Its JSON body; nil for one that is no JSON, or longer than is kept.
  mutating func body() -> JSONValue? {
    if let read { return read }
    let found = end.body.flatMap { try? JSONValue.parse(Array($0.utf8)) }
    read = .some(found)
    return found
  }
}
