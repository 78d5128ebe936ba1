import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// Explains a push's answer and fate.
struct PushExplanation {
  static let shape = Shape<PushExplanation>(
    "Why",
    meaning: "The rule that rejected the push, and how we know it; for an accepted push, its fate and the reason.",
    members: [
      .init("rule", .string.orNull, meaning: "Name of the rule in `/v1/rules`.") { JSONValue($0.rule?.rawValue) },
      .init("sentence", .string) { .string($0.text) },
      .init("evidence", .evidence.orNull) { JSONValue($0.evidence?.kind.rawValue) },
      .init("source", .string.orNull) { JSONValue($0.evidence?.source) },
    ])

  /// The rule that rejected it; nil for an accepted push.
  private let rule: Rule?
  private let sentence: String
  private let evidence: Evidence?
  /// A sentence about what was sent instead of the decided answer; nil if that answer was sent.
  private let untold: String?

  /// More about the push: the owner of the token, if another environment has issued it; a mistake that APNs accepts.
  private var other = ""

  init(_ record: PushRecord, _ names: WorldNames) {
    if let rejection = record.answer.rejection {
      rule = rejection.rule
      sentence =
        names.mistake(record) ?? rejection.rule?.sentence ?? record.fault.map {
          "Answered by fault '\($0)'; the push itself was valid."
        }
        ?? "A test ordered this answer; the push itself was valid."
      evidence = names.evidence(record)
      if rejection.rule == .deviceTokenKnown {
        other = Self.otherCell(record, names) ?? Self.otherEnvironment(record, names)
      }
    } else {
      rule = nil
      (sentence, evidence) = Self.fate(record, names)
      if let mistake = record.push.expirationMistake { other = " But \(mistake)" }
    }
    untold = record.sentSentence
  }

  var text: String { sentence + other + detail }

  private var detail: String { untold.map { " \($0.prefix(1).uppercased() + $0.dropFirst())." } ?? "" }

  private static func otherCell(_ record: PushRecord, _ names: WorldNames) -> String? {
    guard let cell = names.cell, let named = record.push.deviceToken?.partition, !cell.owns(partition: named) else {
      return nil
    }
    return " It belongs to cell \(cell.owner(ofPartition: named)) by its second byte; this is \(cell.words)."
  }

  private static func otherEnvironment(_ record: PushRecord, _ names: WorldNames) -> String {
    guard let address = names.elsewhere(record) else { return "" }
    let other: Environment = record.environment == .sandbox ? .production : .sandbox
    return " It is the \(address.slot.kind.name) token of \(names.bundleID(address.app)) on \(address.device.text), a"
      + " build for \(other.rawValue), but it was sent to the listener of \(record.environment.rawValue)."
  }

  private static func fate(_ record: PushRecord, _ names: WorldNames) -> (String, Evidence?) {
    switch record.fate {
    case .refused: ("It was rejected although no rule was broken.", nil)
    // The last line of the story reports the push's current fate.
    case .stored, .onTheWay, .discarded, .discardedFromStorage: told(record, names: names, opening: "200. ")
    case .delivered(let reaction), .deliveredFromStorage(let reaction):
      delivered(reaction, record: record, names: names)
    }
  }

  private static func told(_ record: PushRecord, names: WorldNames, opening: String) -> (String, Evidence?) {
    let (line, remarks) = PushStory(record, names.policy).outcome
    let sentence = line?.sentence ?? "APNs accepted it"
    let isNew = opening.hasSuffix(". ")
    let told = isNew ? sentence.prefix(1).uppercased() + sentence.dropFirst() : sentence
    return (opening + ([told] + remarks).joined(separator: "; ") + ".", line?.evidence)
  }

  private static func delivered(
    _ reaction: Reaction, record: PushRecord, names: WorldNames
  ) -> (String, Evidence?) {
    guard let address = record.address else { return ("200. Delivered.", nil) }
    let has = "200. Delivered to \(address.device.text)"
    func name(_ number: UInt32) -> String {
      names.activity(address.device, app: address.app, number: number)
    }
    let evidence = record.evidence(reaction)
    switch reaction {
    case .started(let number, let remarks):
      let began = "; it started the activity \(name(number))"
      return (has + began + unchecked(address, names) + Self.words(remarks, record) + ".", evidence)
    case .updated(let number, let remarks, _):
      let applied = "; it updated the activity \(name(number))"
      return (has + applied + unchecked(address, names) + Self.words(remarks, record) + ".", evidence)
    case .ended(let number, let dismissal, let remarks, _):
      let end = "; it ended the activity \(name(number)), whose card is removed at \(dismissal.rfc3339)"
      return (has + end + Self.words(remarks, record) + ".", evidence)
    case .dropped(let cause, let detail):
      let why = ", which dropped it silently (\(cause.rawValue)): \(cause.sentence)"
      return (has + why + (detail.map { " (\($0.text))" } ?? "") + ".", evidence)
    case .held, .notified, .background, .call, .service: return told(record, names: names, opening: has + ": ")
    }
  }

  /// Without a schema, any content is applied.
  private static func unchecked(_ address: Address, _ names: WorldNames) -> String {
    let types = names.apps[address.app].types
    guard types.allSatisfy({ $0.contentState == nil }) else { return "" }
    return "; its content-state was not checked, because the settings have no schema of it"
  }

  private static func words(_ remarks: Remarks, _ record: PushRecord) -> String {
    let sentences =
      Remarks.all.filter { remarks.contains($0.remark) }.map(\.sentence) + record.payloadRemarks().map(\.sentence)
    return sentences.isEmpty ? "" : "; " + sentences.joined(separator: "; ")
  }
}
