import APNs
import Devices
import WireFormats

/// A push as an expectation looks at it: with the fate it has by now, and the step that sent it.
struct SeenPush {
  let record: PushRecord
  var fate: Fate
  /// What was sent in answer by now.
  var sent: SentAnswer
  /// Name of the step that sent it; nil for one without, and for pushes of others.
  let step: String?
  /// Read from the headers when first asked for: most expectations never do.
  private var read: (type: String?, priority: String?)?
  private var body: JSONValue??

  init(_ record: PushRecord, _ fate: Fate, step: String?) {
    self.record = record
    self.fate = fate
    sent = record.sent
    self.step = step
  }

  /// Whether something else is likely to be sent yet.
  var isAnswerHeld: Bool { if case .pending = sent { true } else { false } }

  /// What was decided.
  var status: Int { record.answer.status }
  var reason: RejectionReason? { record.answer.refusal?.reason }

  private mutating func headers() -> (type: String?, priority: String?) {
    if let read { return read }
    let push = record.push
    let found = (type: push.typeRange.map(push.text), priority: push.priorityRange.map(push.text))
    read = found
    return found
  }

  func header(_ name: String) -> String? { record.request.fields.list.first { $0.name == name }?.value }

  /// Its JSON body; nil for one that is no JSON.
  mutating func payload() -> JSONValue? {
    if let body { return body }
    let found = try? JSONValue.parse(record.request.body.map(\.self))
    body = .some(found)
    return found
  }

  mutating func event() -> String? { payload()?["aps"]?["event"]?.string }

  mutating func type() -> String? { headers().type }
  /// Documented: without the header a push has priority 10.
  mutating func priority() -> String { headers().priority ?? "10" }
}
