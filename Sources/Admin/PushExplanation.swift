import APNs
import Devices
import Simulation
import Timeline
import WireFormats

/// Why a push was answered as it was, and became what it became.
struct PushExplanation {
  /// The rule that refused it; nil for an accepted push.
  private let rule: Rule?
  private let sentence: String
  private let evidence: Evidence?
  /// What was sent instead of what was decided.
  private let untold: String?

  /// Whose token it is where another environment has issued it.
  private var other = ""

  init(_ record: PushRecord, _ names: WorldNames) {
    if let rejection = record.answer.rejection {
      rule = rejection.rule
      sentence =
        rejection.rule?.sentence ?? record.fault.map { "Answered by fault '\($0)'; the push itself was valid." }
        ?? "This answer was ordered; the push itself was valid."
      evidence = rejection.rule?.evidence
      if rejection.rule == .deviceTokenKnown { other = Self.otherEnvironment(record, names) }
    } else {
      rule = nil
      (sentence, evidence) = Self.fate(record, names)
    }
    untold = record.sentSentence
  }

  var json: JSONValue {
    [
      "rule": JSONValue(rule?.rawValue), "sentence": .string(sentence + other + detail),
      "evidence": JSONValue(evidence?.kind.rawValue),
      "source": JSONValue(evidence?.source),
    ]
  }

  private var detail: String { untold.map { " \($0.prefix(1).uppercased() + $0.dropFirst())." } ?? "" }

  private static func otherEnvironment(_ record: PushRecord, _ names: WorldNames) -> String {
    guard let address = names.elsewhere(record) else { return "" }
    let other: Environment = record.environment == .sandbox ? .production : .sandbox
    return " It is the \(address.slot.kind.name) token of \(names.bundleID(address.app)) on \(address.device.text), a"
      + " build for \(other.rawValue), and came to the listener of \(record.environment.rawValue)."
  }

  private static let metrics = "Apple, Viewing the status of push notifications using metrics and APNs"

  private static func fate(_ record: PushRecord, _ names: WorldNames) -> (String, Evidence?) {
    switch record.fate {
    case .refused: ("No rule was broken, and yet it was refused.", nil)
    // The last line of the story is where the push is now, or what became of it there.
    case .stored, .discarded: told(record, "200. ")
    case .delivered(let reaction), .deliveredFromStorage(let reaction): delivered(reaction, record, names)
    }
  }

  private static func told(_ record: PushRecord, _ opening: String) -> (String, Evidence?) {
    let line = PushStory(record).lines.last
    let sentence = line?.sentence ?? "APNs has taken it"
    let isNew = opening.hasSuffix(". ")
    return (
      opening + (isNew ? sentence.prefix(1).uppercased() + sentence.dropFirst() : sentence) + ".", line?.evidence
    )
  }

  private static func delivered(
    _ reaction: Reaction, _ record: PushRecord, _ names: WorldNames
  ) -> (String, Evidence?) {
    guard let address = record.address else { return ("200. Delivered.", nil) }
    let has = "200. Delivered to \(address.device.text)"
    func name(_ number: UInt32) -> String {
      names.activity(address.device, app: address.app, number: number)
    }
    let shown = Evidence.documented(metrics)
    switch reaction {
    case .started(let number, let remarks):
      let began = ", and it started the activity \(name(number))"
      return (has + began + unchecked(address, names) + Self.words(remarks) + ".", shown)
    case .updated(let number, let remarks, _):
      let applied = ", and the activity \(name(number)) has its content"
      return (has + applied + unchecked(address, names) + Self.words(remarks) + ".", shown)
    case .ended(let number, let dismissal, let remarks, _):
      let end = ", and it ended the activity \(name(number)), whose card goes at \(dismissal.rfc3339)"
      return (has + end + Self.words(remarks) + ".", shown)
    case .dropped(let cause, let detail):
      let why = ", and dropped it in silence (\(cause.rawValue)): \(cause.sentence)"
      return (has + why + (detail.map { " (\($0.text))" } ?? "") + ".", record.evidence(cause))
    case .held, .notified, .background, .call, .service: return told(record, has + ": ")
    }
  }

  /// Without a schema any content is applied.
  private static func unchecked(_ address: Address, _ names: WorldNames) -> String {
    let types = names.apps[address.app].types
    guard types.allSatisfy({ $0.contentState == nil }) else { return "" }
    return "; nobody checked its content-state, for the settings have no schema of it"
  }

  private static func words(_ remarks: Remarks) -> String {
    let sentences = Remarks.all.filter { remarks.contains($0.remark) }.map(\.sentence)
    return sentences.isEmpty ? "" : "; " + sentences.joined(separator: "; ")
  }
}
