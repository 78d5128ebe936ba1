import APNs
import Devices
import Timeline

/// The times at which tokens were replaced, and at which apps reported the new ones to their backends.
struct ReplacedTokens: Sendable {
  private struct Slot: Hashable, Sendable {
    let device: DeviceID
    let app: Int
    let kind: TokenKind
  }

  private var issued: RecentTable<Slot, Instant>
  /// The begin of the report that the backend accepted, and the time of acceptance.
  private var told: RecentTable<Slot, (began: Instant, ended: Instant)>

  init(most: Int) {
    issued = RecentTable(most: most)
    told = RecentTable(most: most)
  }

  /// Number of entries forgotten, because there were too many.
  var forgotten: UInt64 { issued.forgotten + told.forgotten }

  mutating func read(_ deviceEvent: DeviceEvent, of app: Int?, on device: DeviceID, at now: Instant) {
    guard case .tokenIssued(let slot) = deviceEvent, let app else { return }
    issued[Slot(device: device, app: app, kind: slot.kind)] = now
  }

  mutating func read(_ end: CallEnd) {
    let kind: TokenKind
    if end.event == "pushToStartToken" {
      kind = .pushToStart
    } else if end.event == "deviceToken" {
      kind = .device
    } else if end.event.hasPrefix("activityToken") {
      kind = .update
    } else {
      return
    }
    told[Slot(device: end.device, app: end.app, kind: kind)] = (end.began, end.at)
  }

  /// The time at which the backend accepted the token that replaced the one of an address; nil if it did not.
  func known(_ address: Address) -> Instant? {
    let slot = Slot(device: address.device, app: address.app, kind: address.slot.kind)
    guard let issued = issued[slot], let told = told[slot], told.began >= issued else { return nil }
    return told.ended
  }
}
