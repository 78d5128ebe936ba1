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

  /// An example of a delay.
  fileprivate static let delayed = #"{"delay": {"from": "1s", "to": "30s"}}"#

  init() { self = .lose }

  func effect(on stream: StreamID, at now: Instant, _ delays: Chance) -> PushFaultEffect {
    PushFaultEffect(isDelivered: true, arrival: self)
  }
}

extension FieldForm<ArrivalFault> {
  fileprivate static var arrival: FieldForm {
    let type = ValueType.either([.words(ArrivalFault.simple.map(\.name)), .members([("delay", AnswerDelay.type)])])
    return FieldForm(type) { (fields, name) throws(InputProblem) in
      let valid = #"lose, double, overtake or \#(ArrivalFault.delayed)"#
      guard let node = fields[name] else {
        throw fields.problem(name, "\(name) is required: \(valid).", code: .missingKey)
      }
      if node.entries != nil {
        let shape = try Fields(node, name, known: ["delay"])
        guard shape.has("delay") else { throw fields.problem(name, "\(name) must be \(valid).") }
        return .delay(try AnswerDelay.read(shape))
      }
      guard let text = node.spelling, !node.isNull else {
        throw fields.problem(name, "\(name) must be \(valid).", code: .wrongType)
      }
      if let fault = ArrivalFault.simple.first(where: { $0.name == text }) { return fault.value }
      let nearest = SpellingSuggestion.nearest(to: text, among: ArrivalFault.simple.map(\.name) + ["delay"])
      let advice =
        nearest.map { "did you mean \($0 == "delay" ? ArrivalFault.delayed : $0)?" } ?? "valid values are \(valid)."
      throw fields.problem(name, "\(name) cannot be \(Wording.quoted(text)); \(advice)")
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

  package var isOfArrival: Bool { arrival != nil }
}

extension PushFault {
  static func arrival(_ arrival: ArrivalFault) -> PushFault { PushFault(arrival) }
}
