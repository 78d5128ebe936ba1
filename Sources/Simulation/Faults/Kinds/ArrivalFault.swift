import APNs
import Grammar
import Timeline
import WireFormats

/// Something that happens to a push, or to the copy of a broadcast, between APNs and a phone that is online. APNs
/// answers 200 all the same.
enum ArrivalFault: PushFaultKind {
  /// The phone never receives it.
  case lose
  /// The phone receives it twice.
  case double
  /// The next push for the token reaches the phone before it.
  case overtake
  case delay(AnswerDelay)

  static let shape = Shape<Self>(
    members: [
      .needed("arrival", at: \.self, as: .arrival, "What happens to a push between APNs and the phone, after a 200.")
    ])
  var isOfOnePush: Bool { self == .lose }
  var publishingOnlyReason: String? { "other requests reach no phone." }

  /// Faults without parameters.
  static let simple: [(name: String, value: ArrivalFault)] = [
    ("lose", .lose), ("double", .double), ("overtake", .overtake),
  ]

  init() { self = .lose }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(isDelivered: true, arrival: self)
  }
}

extension FieldForm<ArrivalFault> {
  fileprivate static var arrival: FieldForm {
    let type = ValueType.either([.words(ArrivalFault.simple.map(\.name)), .members([("delay", AnswerDelay.type)])])
    return FieldForm(type) { (fields, name) throws(InputProblem) in
      guard let node = fields[name], node.entries != nil else {
        return try fields.neededChoice(name, ArrivalFault.simple)
      }
      let shape = try Fields(node, name, known: ["delay"])
      guard shape.has("delay") else {
        throw fields.problem(
          name, "arrival must be lose, double or overtake, or {\"delay\": {\"from\": \"1s\", \"to\": \"30s\"}}.")
      }
      return .delay(try AnswerDelay.read(shape))
    } write: { fault in
      if case .delay(let delay) = fault { return ["delay": delay.json] }
      return JSONValue(ArrivalFault.simple.first { $0.value == fault }?.name)
    }
  }
}

extension Fault {
  /// The change of an arrival, if the fault is one.
  var arrival: ArrivalFault? {
    if case .push(let fault) = consequence { fault.kind as? ArrivalFault } else { nil }
  }
}

extension PushFault {
  static func arrival(_ arrival: ArrivalFault) -> PushFault { PushFault(arrival) }
}
