import APNs
import Timeline

extension Install {
  /// The status of an update token; nil if the activity is not in the list.
  package static func status(
    of address: Address, _ number: UInt32, among activities: [LiveActivity], at now: Instant
  ) -> TokenStatus? {
    guard let index = ActivityList.index(of: number, among: activities) else { return nil }
    switch LiveActivity.status(activities, index, of: address, at: now) {
    case .live: return .live(address)
    case .lingering: return .lingering(address)
    case .expired(let since): return .expired(address, since: since)
    case .unregistered(let since): return .unregistered(address, since: since)
    case .neverIssued: return .unknown
    }
  }

  /// The status of one of its tokens.
  package func status(
    of address: Address, _ os: @autoclosure () -> OSVersion, _ policy: StartTokenPolicy, at now: Instant
  ) -> TokenStatus {
    switch address.slot {
    case .update(let number):
      if let status = Self.status(of: address, number, among: activities, at: now) { return status }
      // It ran, but is forgotten: it ended long ago.
      return hasRun(number) ? .unregistered(address, since: now) : .unknown
    case .pushToStart:
      let os = os()
      let isPresent = address.generation == state(of: address.slot)?.generation
      let wasIssued =
        isPresent
        ? hasStartToken(os, policy) : policy.availability(on: os).issued(startToken: address.generation)
      guard wasIssued else { return .unknown }
    case .service, .app: break
    }
    switch state(of: address.slot)?.status(of: address, at: now) {
    // The token of a deleted app is not issued before the app is installed again and opened.
    case .current where !hasTokens && !(keptStartTokens && address.slot.isPushToStart): return .unknown
    case .current: return .live(address)
    case .lingering: return .lingering(address)
    case .unregistered(let since): return .unregistered(address, since: since)
    case .neverIssued, nil: return .unknown
    }
  }
}
