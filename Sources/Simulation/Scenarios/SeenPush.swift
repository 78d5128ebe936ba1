import APNs
import Devices
import WireFormats

/// A push as an expectation looks at it: with the fate it has by now, and the step that sent it.
struct SeenPush {
  let record: PushRecord
  var fate: Fate
  /// Name of the step that sent it; nil for one without, and for pushes of others.
  let step: String?
  /// Read from the headers when first asked for: most expectations never do.
  private var read: (type: String?, priority: String?)?

  init(_ record: PushRecord, _ fate: Fate, step: String?) {
    self.record = record
    self.fate = fate
    self.step = step
  }

  var status: Int { record.answer.status }
  var reason: RejectionReason? { record.answer.refusal?.reason }

  private mutating func headers() -> (type: String?, priority: String?) {
    if let read { return read }
    let fields = record.request.fields.list
    let found = (
      type: fields.first { $0.name == "apns-push-type" }?.value,
      priority: fields.first { $0.name == "apns-priority" }?.value
    )
    read = found
    return found
  }

  mutating func type() -> String? { headers().type }
  /// Documented: without the header a push has priority 10.
  mutating func priority() -> String { headers().priority ?? "10" }
}
