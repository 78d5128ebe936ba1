import APNs
import Grammar
import Timeline
import WireFormats

struct RejectionFault: PushFaultKind {
  static let shape = Shape<Self>(
    members: [
      .needed("answer", at: \.reason, as: .rejection, "Reject the push with this reason."),
      .maybe("retryAfter", at: \.retryAfter, as: .whole, "The header Retry-After, in seconds."),
      .key("age", as: .duration, "The time since the token died, for Unregistered and ExpiredToken.") {
        (fields, fault) throws(InputProblem) in
        fault.age = try fields.duration("age")
        guard fault.age == nil || fault.reason.status == 410 else {
          throw fields.problem(
            "age", "age, how long ago the token died, is valid only for Unregistered and ExpiredToken.")
        }
      } write: {
        $0.age.map(FieldForm<Duration>.duration.write)
      },
      .split(\.pieces),
      .also("pause", at: \.pieces?.pause, as: .duration, "The time between two pieces. Default: none."),
      .ends(\.pieces),
    ])
  var isOfOnePush: Bool { true }

  var reason = RejectionReason.badDeviceToken
  var retryAfter: Int?
  var age: Duration?
  var pieces: FaultBodySplit?

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    let since = reason.status == 410 ? now.advanced(by: .zero - (age ?? .zero)) : nil
    var effect = PushFaultEffect(rejection: Rejection(reason, by: nil, since: since))
    guard retryAfter != nil || pieces != nil else { return effect }
    effect.alteration = AnswerAlteration(retryAfter: retryAfter, pieces: pieces)
    effect.sent = pieces?.sent(reason.status) ?? .answer(status: reason.status)
    return effect
  }
}

extension FieldForm<RejectionReason> {
  /// A reason, but not its status, which stands for several reasons.
  fileprivate static var rejection: FieldForm {
    let form = word(as: .reason)
    return FieldForm(.reason) { (fields, name) throws(InputProblem) in
      if let value = fields.json(name), let status = value.integer ?? value.string.flatMap({ Int64($0) }) {
        let reasons = RejectionReason.allCases.filter { Int64($0.status) == status }.map(\.rawValue)
        let which =
          reasons.isEmpty
          ? "APNs has no reason with that status." : "status \(status) is \(Wording.list(reasons, "or"))."
        throw fields.problem(name, "\(name) must be a reason such as TooManyRequests, not a status; \(which)")
      }
      return try form.read(fields, name)
    } write: {
      .string($0.rawValue)
    }
  }
}

extension PushFault {
  package static func refuse(
    _ reason: RejectionReason, retryAfter: Int?, age: Duration?, pieces: FaultBodySplit? = nil
  ) -> PushFault {
    PushFault(RejectionFault(reason: reason, retryAfter: retryAfter, age: age, pieces: pieces))
  }
}
