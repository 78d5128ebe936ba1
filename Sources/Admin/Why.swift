import APNs
import Devices
import Simulation
import WireFormats

/// Why a push was answered as it was, and became what it became.
struct Why {
  /// The rule that refused it; nil for an accepted push.
  private let rule: Rule?
  private let sentence: String
  private let evidence: Evidence?

  init(_ record: PushRecord, _ world: World) {
    if let refusal = record.answer.refusal {
      rule = refusal.rule
      sentence = refusal.rule?.sentence ?? "This answer was ordered; no rule was broken."
      evidence = refusal.rule?.evidence
    } else {
      rule = nil
      (sentence, evidence) = Self.fate(record, world)
    }
  }

  var json: JSONValue {
    [
      "rule": JSONValue(rule?.rawValue), "sentence": .string(sentence), "evidence": JSONValue(evidence?.kind.rawValue),
      "source": JSONValue(evidence?.source),
    ]
  }

  private static let metrics = "Apple, Viewing the status of push notifications using metrics and APNs"

  private static func fate(_ record: PushRecord, _ world: World) -> (String, Evidence?) {
    switch record.fate {
    case .refused: ("No rule was broken, and yet it was refused.", nil)
    case .storedOffline:
      ("Every rule holds; the device is offline, so APNs keeps the push for it.", .documented(metrics))
    case .discardedUnregistered: discarded(record)
    case .delivered(let reaction): (delivered(reaction, record, world), evidence(reaction))
    }
  }

  private static func discarded(_ record: PushRecord) -> (String, Evidence?) {
    if case .update = record.address?.slot {
      return (
        "APNs took it, but the activity is over or its token was replaced; APNs does not know that yet and answers "
          + "200 until it does, then 410.",
        .assumed("disputed: 410 at once by seed 000, 200 for ever by one project")
      )
    }
    return (
      "APNs took it, but the app was deleted or the token replaced; APNs does not know that yet and answers 200 until "
        + "it does, then 410.",
      .observed("apns2 issues 77 and 159; forum thread 670868")
    )
  }

  private static func evidence(_ reaction: Reaction) -> Evidence {
    switch reaction {
    case .received, .started, .updated, .ended: .documented(metrics)
    case .dropped(let cause, _): cause.evidence
    }
  }

  private static func delivered(_ reaction: Reaction, _ record: PushRecord, _ world: World) -> String {
    guard let address = record.address else { return "Every rule holds; the device has the push." }
    let has = "Every rule holds; \(address.device.text) has the push"
    func name(_ number: UInt32) -> String {
      world.fleet.activityName(address.device, app: address.app, number: number)
    }
    switch reaction {
    case .received: return has + "."
    case .started(let number): return has + ", and it started the activity \(name(number))."
    case .updated(let number): return has + ", and the activity \(name(number)) shows its content."
    case .ended(let number, let dismissal):
      return has + ", and it ended the activity \(name(number)), whose card goes at \(dismissal.rfc3339)."
    case .dropped(let cause, let detail):
      return has + ", and dropped it in silence (\(cause.rawValue)): \(cause.sentence)"
        + (detail.map { " (\($0))" } ?? "") + "."
    }
  }
}
