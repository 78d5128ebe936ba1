import APNs
import Grammar
import Timeline
import WireFormats

/// Rejects the push with a documented reason.
struct RejectionFault: PushFaultKind {
  static let word = "answer"
  static let type = ValueType.reasons
  static let details =
    [FaultMember("retryAfter", .anyWhole), FaultMember("age", .duration)] + FaultBodySplit.members
  var isOfOnePush: Bool { true }

  var reason: RejectionReason
  /// Seconds.
  var retryAfter: Int?
  /// Time since the token died, for a 410.
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

extension RejectionFault {
  init(_ fields: Fields) throws(InputProblem) {
    try Self.refuseStatus(fields)
    reason = try fields.reason(Self.word)
    age = try fields.duration("age")
    guard age == nil || reason.status == 410 else {
      throw fields.problem("age", "age, how long ago the token died, is valid only for Unregistered and ExpiredToken.")
    }
    retryAfter = try fields.whole("retryAfter").map { Int($0) }
    pieces = try FaultBodySplit.read(fields)
  }

  /// A status stands for several reasons; the answer needs one of them.
  private static func refuseStatus(_ fields: Fields) throws(InputProblem) {
    guard let value = fields.json(word), let status = value.integer ?? value.string.flatMap({ Int64($0) }) else {
      return
    }
    let reasons = RejectionReason.allCases.filter { Int64($0.status) == status }.map(\.rawValue)
    let which =
      reasons.isEmpty ? "APNs has no reason with that status." : "status \(status) is \(Wording.list(reasons, "or"))."
    throw fields.problem(word, "\(word) must be a reason such as TooManyRequests, not a status; \(which)")
  }

  func put(into object: inout ObjectWriter) {
    object.put(Self.word, reason.rawValue)
    object.put("retryAfter", retryAfter)
    object.put("age", age)
    pieces?.put(into: &object)
  }
}

extension PushFault {
  package static func refuse(
    _ reason: RejectionReason, retryAfter: Int?, age: Duration?, pieces: FaultBodySplit? = nil
  ) -> PushFault {
    PushFault(RejectionFault(reason: reason, retryAfter: retryAfter, age: age, pieces: pieces))
  }
}
