import APNs
import Devices
import WireFormats

/// A filter for pushes: those for which all given values match.
package struct PushFilter: ClaimFilter {
  /// As decided.
  package var status: Int?
  /// As sent.
  package var sent: SentAnswerFilter?
  package var reason: RejectionReason?
  /// The wording of Apple's console where it has any (docs/behavior/delivery.md).
  package var fate: String?
  /// Why it was dropped, stored or remarked upon.
  package var cause: String?
  /// The phone's reaction.
  package var outcome: String?
  package var devices: [DeviceID]?
  package var app: Int?
  package var type: PushType?
  package var priority: Int?
  package var to: TokenKind?
  /// Name of the step that sent it.
  package var step: String?
  package var headers: [Header] = []
  /// Content that its JSON body must have.
  package var payload: JSONValue?
  /// `aps.event` of a Live Activity.
  package var event: String?
  /// Name of the fault that struck it.
  package var fault: String?
  package var connection: UInt64?
  package var environment: Environment?
  package var id: NotificationID?

  /// A header that the push must have or, without a value, must not have.
  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String?

    package init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }

  package init() {}

  /// Whether it depends on the push's fate after its answer.
  var looksAtFate: Bool { fate != nil || cause != nil || outcome != nil }

  func matches(_ push: inout ObservedPush) -> Bool { mismatches(&push, atMost: 0) == 0 }

  /// The number of values that do not match; counting stops above a bound.
  func mismatches(_ push: inout ObservedPush, atMost bound: Int) -> Int {
    var count = 0
    func check(_ holds: Bool) -> Bool {
      if !holds { count += 1 }
      return count <= bound
    }
    if let step, !check(push.step == step) { return count }
    if let status, !check(push.status == status) { return count }
    if let sent, !check(sent.matches(push.sent)) { return count }
    if let reason, !check(push.reason == reason) { return count }
    if let devices, !check(push.facts.address.map { devices.contains($0.device) } ?? false) { return count }
    if let app, !check(push.facts.address?.app == app) { return count }
    if let to, !check(push.facts.address?.slot.kind == to) { return count }
    if let fate, !check(push.fate.words == fate) { return count }
    if let outcome, !check(push.fate.outcome == outcome) { return count }
    if let cause, !check(push.fate.causes.contains(cause)) { return count }
    if let type, !check(push.isType(type)) { return count }
    if let priority, !check(push.isPriority(priority)) { return count }
    if let fault, !check(push.facts.fault == fault) { return count }
    if let connection, !check(push.facts.stream.connection.number == connection) { return count }
    if let environment, !check(push.facts.push.environment == environment) { return count }
    if let id, !check(push.facts.answer.id == id) { return count }
    for header in headers where !check(push.header(header.name) == header.value) { return count }
    if let event, !check(push.event() == event) { return count }
    if let payload, !check(push.payload().map { payload.isPart(of: $0) } ?? false) { return count }
    return count
  }

  /// What differs, as text.
  func differences(_ push: inout ObservedPush) -> [String] {
    var list: [String] = []
    func compare(_ name: String, _ wanted: String, _ found: String) {
      if wanted != found { list.append("\(name) is \(found), not \(wanted)") }
    }
    if let step { compare("step", step, push.step ?? "one without a name") }
    if let status { compare("status", "\(status)", "\(push.status)") }
    if let sent, !sent.matches(push.sent) { list.append("sent is \(push.sent.words), not \(sent.text)") }
    if let reason { compare("reason", reason.rawValue, push.reason?.rawValue ?? "none") }
    if let devices {
      let found = push.facts.address?.device
      if !(found.map { devices.contains($0) } ?? false) {
        list.append("device is \(found?.text ?? "none"), not \(devices.map(\.text).joined(separator: " or "))")
      }
    }
    if let app, push.facts.address?.app != app { list.append("the push is for another app") }
    if let to { compare("to", to.name, push.facts.address?.slot.kind.name ?? "none") }
    if let fate { compare("fate", fate, push.fate.words) }
    if let outcome { compare("outcome", outcome, push.fate.outcome ?? "none") }
    if let cause, !push.fate.causes.contains(cause) {
      let found = push.fate.causes
      list.append("cause is \(found.isEmpty ? "none" : found.joined(separator: " and ")), not \(cause)")
    }
    if let type { compare("type", type.rawValue, push.type ?? "none") }
    if let priority { compare("priority", "\(priority)", push.priority) }
    if let fault { compare("fault", fault, push.facts.fault ?? "none") }
    if let connection { compare("connection", "\(connection)", "\(push.facts.stream.connection.number)") }
    if let environment { compare("environment", environment.rawValue, push.facts.push.environment.rawValue) }
    if let id { compare("id", id.text, push.facts.answer.id.text) }
    for header in headers { compare(header.name, header.value ?? "absent", push.header(header.name) ?? "absent") }
    if let event { compare("event", event, push.event() ?? "none") }
    if let payload {
      list += push.payload().map { payload.differences(from: $0, "payload") } ?? ["its payload is not JSON"]
    }
    return list
  }

  /// The given values, as text; empty without values.
  func words(_ apps: [String]) -> String {
    let parts: [String?] = [
      step.map { "step \($0)" }, status.map { "status \($0)" }, sent.map { "sent \($0.text)" },
      reason.map { "reason \($0.rawValue)" }, fate.map { "fate \($0)" }, cause.map { "cause \($0)" },
      outcome.map { "outcome \($0)" },
      devices.map { "device \($0.map(\.text).joined(separator: " or "))" },
      app.map { "app \(apps[$0])" }, type.map { "type \($0.rawValue)" },
      priority.map { "priority \($0)" }, to.map { "to \($0.name)" }, event.map { "event \($0)" },
      fault.map { "fault \($0)" }, connection.map { "connection \($0)" },
      environment.map { "environment \($0.rawValue)" }, id.map { "id \($0.text)" },
      payload.map { "payload with \($0.text)" },
    ]
    let headers = headers.map { header in header.value.map { "\(header.name) \($0)" } ?? "no \(header.name)" }
    return (parts.compactMap(\.self) + headers).joined(separator: ", ")
  }
}
