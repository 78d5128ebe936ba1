import APNs
import Devices
import Timeline
import WireFormats

/// Effects of faults on pushes that APNs would have accepted.
extension FaultRegistry {
  /// The effect of a fault on a push.
  struct Struck {
    let fault: String
    let fate: Fate
    let rejection: Rejection?
    /// What is sent at first if the fault changes the answer; nil if the answer is sent as decided.
    let sent: SentAnswer?
  }

  /// The effect of a fault on a push, before it is delivered.
  struct PushCourse {
    var isDelivered = false
    var rejection: Rejection?
    var sent: SentAnswer?
    /// Sent to the wire after the push is delivered, or instead.
    var order: WireCommand?

    /// Its fate if it is not delivered.
    var lostFate: Fate { rejection == nil ? .discarded(.byFault) : .refused }
  }

  /// The fault that made a connection reject every push, if any.
  func sticky(on connection: ProviderConnectionID, _ push: inout AcceptedPushSubject) -> Sticky? {
    guard let list = sticky[connection.number] else { return nil }
    for sticky in list where sticky.scope?.matches(&push) ?? true { return sticky }
    return nil
  }

  /// Carries out a fault on a push, except for what its device or the wire does.
  mutating func course(of consequence: PushFault, on stream: StreamID, at now: Instant) -> PushCourse {
    var course = PushCourse()
    switch consequence {
    case .refuse(let reason, let retryAfter, let age, let pieces):
      let since = reason.status == 410 ? now.advanced(by: .zero - (age ?? .zero)) : nil
      course.rejection = Rejection(reason, by: nil, since: since)
      guard retryAfter != nil || pieces != nil else { break }
      apart = AlteredAnswer(stream: stream, wait: nil, retryAfter: retryAfter, pieces: pieces)
      course.sent = pieces?.sent(reason.status) ?? .answer(status: reason.status)
    case .silence: course.sent = .nothing(.silence)
    case .lose: break
    case .reset(let code):
      course.order = .reset(stream: stream.number, code: code)
      course.sent = .reset(code: code)
    case .malformed(let status, let body, let pieces):
      let response = HTTPResponse(
        status: status, fields: HTTPFields([("content-type", "application/json")]), body: body)
      course.order = .respond(to: stream.number, response, pieces)
      course.sent = pieces?.sent(status) ?? .malformed(status: status)
    case .delay(let delay):
      course.isDelivered = true
      let wait = delay.draw(delays, stream.connection.number, UInt64(bitPattern: Int64(stream.number)))
      apart = AlteredAnswer(stream: stream, wait: wait, retryAfter: nil)
      course.sent = wait > .zero ? .pending(.delay) : .answer(status: 200)
    case .loseAnswer(let code):
      course.isDelivered = true
      course.order = code.map { .reset(stream: stream.number, code: $0) }
      course.sent = code.map { .reset(code: $0) } ?? .nothing(.silence)
    case .withoutID:
      course.isDelivered = true
      let response = HTTPResponse(status: 200, fields: HTTPFields([]), body: [])
      course.order = .respond(stream: stream.number, response)
      course.sent = .answer(status: 200)
    }
    return course
  }

  /// Takes the changed answer to the current push.
  mutating func takeApart() -> AlteredAnswer? {
    defer { apart = nil }
    return apart
  }

  /// The behaviour of a phone and its person: as the fleet's, unless a fault about questions overrides it.
  func model(of device: DeviceID, in fleet: Fleet) -> PhoneModel {
    for (name, model) in prompts {
      guard let armed = self[name] else { continue }
      var subject = DeviceSubject(device, fleet, for: armed.matcher)
      if armed.matcher.matches(&subject) { return model }
    }
    return fleet.model
  }
}
