import APNs
import Devices
import Timeline

/// Finds valid tokens that a provider never pushes to again after a 410 that was older than their registration.
///
/// The evidence is other tokens that got the same payload as the rejected push, and then several more. So a run that
/// simply ends, or a person who wants no more pushes, causes no finding.
struct DiscardedTokens: Sendable {
  private struct Suspect: Sendable {
    let address: Address
    let push: NotificationID
    let at: Instant
    let payload: UInt64
    /// Tokens that received the same payload.
    var siblings: Set<UInt64>
    /// The payloads they have received since.
    var since: Set<UInt64> = []
  }

  struct Found {
    let address: Address
    let push: NotificationID
    let at: Instant
  }

  private static let mostSuspects = 100
  /// Number of accepted pushes remembered.
  private static let mostRecent = 512
  /// Assumed: a pause is shorter than this number of payloads and this time.
  private static let payloads = 3
  private static let patience: Duration = .seconds(30)

  private var suspects: [UInt64: Suspect] = [:]
  /// Number of tokens that were not suspected, because there were too many others.
  private(set) var overlooked: UInt64 = 0
  /// Their payloads are read only for a suspect, which is rare.
  private var recent: [(token: UInt64, record: PushRecord)] = []
  private var oldest = 0

  /// A push was answered 410 with a timestamp that the provider could recognise as outdated.
  mutating func suspect(
    _ token: UInt64, of address: Address, record: PushRecord, payload hash: (PushRecord) -> UInt64
  ) {
    guard suspects.count < Self.mostSuspects else {
      overlooked += 1
      return
    }
    let payload = hash(record)
    var siblings: Set<UInt64> = []
    for push in recent where push.token != token && hash(push.record) == payload { siblings.insert(push.token) }
    suspects[token] = Suspect(
      address: address, push: record.answer.id, at: record.at.world, payload: payload, siblings: siblings)
  }

  /// A push was accepted.
  ///
  /// - Returns: the tokens that the provider has left out, as this push shows.
  mutating func accepted(
    _ token: UInt64, _ record: PushRecord, payload hash: (PushRecord) -> UInt64
  ) -> [Found] {
    if recent.count < Self.mostRecent {
      recent.append((token, record))
    } else {
      recent[oldest] = (token, record)
      oldest = (oldest + 1) % Self.mostRecent
    }
    guard !suspects.isEmpty else { return [] }
    suspects[token] = nil
    let (payload, now) = (hash(record), record.at.world)
    var found: [Found] = []
    // Sorted by token, because the order of a dictionary differs in every process.
    for key in suspects.keys.sorted() {
      guard var suspect = suspects.removeValue(forKey: key) else { continue }
      if payload == suspect.payload {
        suspect.siblings.insert(token)
      } else if suspect.siblings.contains(token) {
        suspect.since.insert(payload)
      }
      if suspect.since.count >= Self.payloads, suspect.at.advanced(by: Self.patience) <= now {
        found.append(Found(address: suspect.address, push: suspect.push, at: suspect.at))
      } else {
        suspects[key] = suspect
      }
    }
    func place(_ found: Found) -> (Instant, UInt32, UInt64) {
      (found.at, found.address.device.number, found.address.slotNumber)
    }
    return found.sorted { place($0) < place($1) }
  }

  /// The token was pushed to, or there is another explanation now.
  mutating func clear(_ token: UInt64) { suspects[token] = nil }

  /// Any change on the phone may be the reason why no more pushes are sent.
  mutating func clear(_ device: DeviceID, _ deviceEvent: DeviceEvent) {
    guard !suspects.isEmpty else { return }
    switch deviceEvent {
    case .tokenIssued(let slot), .tokenRegistered(let slot):
      suspects = suspects.filter { $0.value.address.device != device || $0.value.address.slot != slot }
    case .activityEnded(let number, _), .activityDismissed(let number):
      suspects = suspects.filter {
        $0.value.address.device != device || $0.value.address.slot != .update(activity: number)
      }
    case .appRemoved, .appInstalled, .restored, .permissionChanged, .switched: clear(device)
    default: break
    }
  }

  mutating func clear(_ device: DeviceID) {
    suspects = suspects.filter { $0.value.address.device != device }
  }
}
