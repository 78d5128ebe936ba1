import APNs
import Devices
import WireFormats

/// A push as an expectation sees it: with its current fate, and the step that sent it.
struct ObservedPush {
  let facts: PushRecord.Facts
  var fate: Fate
  /// What has been sent so far.
  var sent: SentAnswer
  /// Name of the step that sent it; nil if the step has no name or another provider sent the push.
  let step: String?
  /// Parsed on demand: most expectations do not need it.
  private var body: JSONValue??

  init(_ record: PushRecord, _ fate: Fate, step: String?) {
    facts = record.facts
    self.fate = fate
    sent = record.sent
    self.step = step
  }

  /// Whether another answer is likely to follow.
  var isAnswerHeld: Bool { if case .pending = sent { true } else { false } }

  /// As decided.
  var status: Int { facts.answer.status }
  var reason: RejectionReason? { facts.answer.rejection?.reason }

  func header(_ name: String) -> String? {
    facts.push.request(to: facts.address).fields.list.first { $0.name == name }?.value
  }

  /// Its JSON body; nil if it is not JSON.
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

  /// Whether its priority is written so.
  func isPriority(_ number: Int) -> Bool {
    if let known = facts.push.requestedPriority { return Int(known.rawValue) == number }
    return priority == "\(number)"
  }
}

/// An app's call as an expectation sees it.
struct ObservedReport {
  let end: CallEnd
  /// Parsed on demand: most expectations do not need it.
  private var read: JSONValue??

  init(_ end: CallEnd) { self.end = end }

  /// Its JSON body; nil if it is not JSON, or longer than the part that is kept.
  mutating func body() -> JSONValue? {
    if let read { return read }
    let found = end.body.flatMap { try? JSONValue.parse(Array($0.utf8)) }
    read = .some(found)
    return found
  }
}
