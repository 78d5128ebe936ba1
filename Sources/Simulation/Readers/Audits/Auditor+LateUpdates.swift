import APNs
import Devices
import Timeline
import WireFormats

/// Old states of an activity that replace newer ones.
extension Auditor {
  /// Checks for old states displayed after newer ones.
  mutating func watchUpdates(_ record: PushRecord, _ token: UInt64) {
    let status = record.answer.status
    let isRefused = status == 429 || status >= 500 || record.firstFate == .discarded(.byFault)
    guard isRefused || !lates.isEmpty, let address = record.address, address.slot.isActivity else { return }
    let now = record.at.world
    guard isRefused || record.firstFate.takesUpdate && lates[token] != nil else { return }
    let storage = record.push.request.storage
    let read = try? JSONNode.read(storage.span, in: record.push.payloadRange) {
      $0["aps"]?["content-state"]?.whole.text
    }
    guard let text = read ?? nil else { return }
    let content = Self.hash(text.utf8)
    if isRefused {
      var late = lates[token] ?? LateUpdates()
      late.refused(record, content: content)
      lates[token] = late
      return
    }
    var late = lates.removeValue(forKey: token) ?? LateUpdates()
    let isOld = late.applied(record, content: content)
    if !late.isEmpty { lates[token] = late }
    guard isOld else { return }
    if case .delivered(.updated) = record.firstFate {
      return displayedLate(record.answer.id, on: address.device, at: now)
    }
    keptLate[record.sequence] = record.answer.id
  }

  /// A push that was kept has another fate: reports an old state if it is on the screen now.
  mutating func settle(_ number: UInt64, on device: DeviceID, fate: Fate, at now: Instant) {
    guard !keptLate.isEmpty, fate.isFinal, let id = keptLate.removeValue(forKey: number) else { return }
    if case .updated? = fate.reaction { displayedLate(id, on: device, at: now) }
  }

  private mutating func displayedLate(_ id: NotificationID, on device: DeviceID, at now: Instant) {
    find(
      .outOfOrder, at: now, on: device, push: id,
      mistake: .init("A rejected update was displayed after a newer one, with a new timestamp"))
  }
}
