import APNs
import Timeline

extension Install {
  /// The status of an update token; nil if the activity is not in the list.
  package static func status(
    of address: Address, _ number: UInt32, among activities: [LiveActivity], at now: Instant
  ) -> TokenStatus? {
    guard let index = index(of: number, among: activities) else { return nil }
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

extension Phone {
  /// The status of a token of one of its apps.
  package func status(of address: Address, _ policy: StartTokenPolicy, at now: Instant) -> TokenStatus {
    // Fast path of nearly every push: avoids copying an install.
    if case .update(let number) = address.slot,
      let status = Install.status(of: address, number, among: installs[address.app].activities, at: now)
    {
      return status
    }
    return installs[address.app].status(of: address, os, policy, at: now)
  }

  /// Counts one request to a token; false if it exceeds the rate limit.
  package mutating func admit(_ address: Address, _ limit: RequestRate, at now: Instant) -> Bool {
    installs[address.app].admit(address.slot, limit, at: now)
  }
}
