import APNs
import Timeline

/// Mistakes in the headers of pushes that APNs accepts.
extension Auditor {
  mutating func watchHeaders(_ record: PushRecord) {
    let (push, now, device) = (record.push, record.at.world, record.address?.device)
    if push.type == .background, push.priority != .powerAware {
      find(
        .backgroundPriority, now, device, record.answer.id,
        "A background push of priority \(push.priority.rawValue), which Apple documents as an error; send 5."
          + " Without apns-priority it has 10.")
    }
    if let mistake = push.expirationMistake {
      find(.expirationUnit, now, device, record.answer.id, mistake)
    }
    guard push.expirationRange == nil else { return }
    switch record.firstFate {
    case .stored(.offline), .discarded(.notStored):
      find(
        .noExpiration, now, device, record.answer.id,
        "A push without apns-expiration to a phone that is offline. Apple says that it is stored, and operators saw it"
          + " lost; write the time until which it is of use.")
    default: break
    }
  }
}
