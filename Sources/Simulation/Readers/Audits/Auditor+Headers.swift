import APNs
import Timeline

/// Mistakes in the headers of pushes that APNs accepts.
extension Auditor {
  mutating func watchHeaders(_ record: PushRecord) {
    let (push, now, device) = (record.push, record.at.world, record.address?.device)
    if push.type == .background, push.priority != .powerAware {
      find(
        .backgroundPriority, at: now, on: device, push: record.answer.id,
        mistake: .init("A background push of priority \(push.priority.rawValue), which Apple documents as an error"))
    }
    if let mistake = push.expirationMistake {
      let what = mistake.hasSuffix(".") ? String(mistake.dropLast()) : mistake
      find(.expirationUnit, at: now, on: device, push: record.answer.id, mistake: .init(what))
    }
    guard push.expirationRange == nil else { return }
    switch record.firstFate {
    case .stored(.offline), .discarded(.notStored):
      find(
        .noExpiration, at: now, on: device, push: record.answer.id,
        mistake: .init(
          "A push without apns-expiration to a phone that is offline, which Apple says is stored, and operators saw"
            + " lost"))
    default: break
    }
  }
}
