import APNs
import Grammar
import Timeline
import WireFormats

/// The words of faults of pushes, with their further keys; their types; reading and writing.
extension PushFault {
  static let words: [(name: String, details: [String])] = [
    ("answer", ["retryAfter", "age", "split", "pause", "ends"]), ("delay", []), ("silence", []), ("lose", []),
    ("loseAnswer", []), ("reset", []), ("malformed", ["status", "split", "pause", "ends"]), ("withoutId", []),
  ]

  static let types: [String: ValueType] = [
    "answer": ConsequenceReader.reasons, "delay": ConsequenceReader.delays, "silence": .isTrue, "lose": .isTrue,
    "loseAnswer": .either([.isTrue, ConsequenceReader.codes]), "reset": ConsequenceReader.codes, "malformed": .text(),
    "withoutId": .isTrue, "retryAfter": .anyWhole, "age": .duration,
    "split": .list(of: .whole(FaultBodySplit.lengths)), "pause": .duration,
    "ends": .words(FaultBodySplit.End.allCases.map(\.rawValue)), "status": .whole(statuses),
  ]

  /// Nil if it is not the word of a fault of a push.
  init?(_ name: String, _ fields: Fields) throws(InputProblem) {
    switch name {
    case "answer":
      try Self.refuseStatus(fields, name)
      let reason = try fields.neededChoice(name, RejectionReason.allCases.map { ($0.rawValue, $0) })
      let age = try fields.duration("age")
      guard age == nil || reason.status == 410 else {
        throw fields.problem(
          "age", "age, how long ago the token died, is valid only for Unregistered and ExpiredToken.")
      }
      self = .refuse(
        reason, retryAfter: try fields.whole("retryAfter").map { Int($0) }, age: age, pieces: try Self.pieces(fields))
    case "delay": self = .delay(try ConsequenceReader.delay(fields))
    case "silence": self = .silence
    case "lose": self = .lose
    case "loseAnswer":
      if case .bool(true)? = fields.json(name) {
        self = .loseAnswer(code: nil)
      } else {
        self = .loseAnswer(code: try ConsequenceReader.code(fields, name))
      }
    case "reset": self = .reset(code: try ConsequenceReader.code(fields, name))
    case "malformed":
      let status = try fields.whole("status") ?? 400
      guard let status = Int(exactly: status), PushFault.statuses.contains(status) else {
        throw fields.problem("status", "status must be from 200 to 599.")
      }
      self = .malformed(
        status: status, body: Array((try fields.text(name) ?? "").utf8), pieces: try Self.pieces(fields))
    case "withoutId": self = .withoutID
    default: return nil
    }
  }

  /// A status stands for several reasons; the answer needs one of them.
  private static func refuseStatus(_ fields: Fields, _ name: String) throws(InputProblem) {
    guard let value = fields.json(name), let status = value.integer ?? value.string.flatMap({ Int64($0) }) else {
      return
    }
    let reasons = RejectionReason.allCases.filter { Int64($0.status) == status }.map(\.rawValue)
    let which =
      reasons.isEmpty ? "APNs has no reason with that status." : "status \(status) is \(Wording.list(reasons, "or"))."
    throw fields.problem(name, "\(name) must be a reason such as TooManyRequests, not a status; \(which)")
  }

  private static func pieces(_ fields: Fields) throws(InputProblem) -> FaultBodySplit? {
    guard let value = fields.json("split") else {
      for name in ["pause", "ends"] where fields.has(name) {
        throw fields.problem(name, "\(name) is about the pieces of a split body; it needs split, such as [5, 3].")
      }
      return nil
    }
    var sizes: [Int] = []
    for element in value.elements ?? [] {
      guard let size = element.integer.flatMap({ Int(exactly: $0) }), FaultBodySplit.lengths.contains(size) else {
        throw noSizes(fields)
      }
      sizes.append(size)
    }
    guard FaultBodySplit.counts.contains(sizes.count) else { throw noSizes(fields) }
    let ends = try fields.choice("ends", FaultBodySplit.End.allCases.map { ($0.rawValue, $0) })
    return FaultBodySplit(sizes: sizes, end: ends ?? .last, pause: try fields.duration("pause"))
  }

  private static func noSizes(_ fields: Fields) -> InputProblem {
    fields.problem(
      "split",
      "split must be a list of 1 to 100 sizes in bytes, such as [5, 3]; the rest of the body is one more piece.")
  }

  // MARK: - Writing

  /// Writes the form that `init` reads.
  func put(into object: inout ObjectWriter) {
    switch self {
    case .refuse(let reason, let retryAfter, let age, let pieces):
      object.put("answer", reason.rawValue)
      object.put("retryAfter", retryAfter)
      object.put("age", age)
      Self.put(pieces, into: &object)
    case .delay(let delay): object.put("delay", ConsequenceWriter.json(delay))
    case .silence: object.put("silence", if: true)
    case .lose: object.put("lose", if: true)
    case .loseAnswer(let code): object.put("loseAnswer", code.map(ConsequenceWriter.name) ?? JSONValue.bool(true))
    case .reset(let code): object.put("reset", ConsequenceWriter.name(code))
    case .malformed(let status, let body, let pieces):
      object.put("malformed", String(decoding: body, as: UTF8.self))
      object.put("status", status)
      Self.put(pieces, into: &object)
    case .withoutID: object.put("withoutId", if: true)
    }
  }

  private static func put(_ pieces: FaultBodySplit?, into object: inout ObjectWriter) {
    guard let pieces else { return }
    object.put("split", .array(pieces.sizes.map { .integer(Int64($0)) }))
    object.put("pause", pieces.pause)
    if pieces.end != .last { object.put("ends", pieces.end.rawValue) }
  }
}
