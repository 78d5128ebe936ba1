import APNs
import Timeline

/// Queries about an install.
extension Install {
  /// Whether the app has a push-to-start token on that version of iOS.
  package func hasStartToken(_ os: OSVersion, _ policy: StartTokenPolicy) -> Bool {
    switch policy.availability(on: os) {
    case .never: false
    case .freshInstallAfterReboot: hasFreshStartToken
    case .onLaunch: true
    }
  }

  /// The attributes types of the installed version.
  package func types(_ profile: AppProfile) -> [AttributesType] {
    isUpdated ? profile.traits.nextTypes ?? profile.types : profile.types
  }

  package func state(of slot: TokenSlot) -> TokenState? {
    switch slot {
    case .app: appToken
    case .service(let suffix): services[suffix] ?? TokenState()
    case .pushToStart(let type): startTokens.indices.contains(type) ? startTokens[type] : nil
    case .update(let number): index(of: number).map { activities[$0].token }
    }
  }

  /// Which update budget it has.
  func level(_ profile: AppProfile) -> BudgetLevel {
    BudgetLevel(isDeclared: profile.traits.frequentUpdates, isAllowed: allowances.contains(.frequentUpdates))
  }

  // MARK: - Activities

  package func activity(_ number: UInt32) -> LiveActivity? { index(of: number).map { activities[$0] } }

  /// Number of activities that count towards the limits.
  func counted(_ policy: DevicePolicy, at now: Instant) -> Int {
    activities.count {
      if !$0.isOver(at: now) || $0.isLeaked { return true }
      return policy.endedCounts && $0.state(policy, at: now) == .ended
    }
  }

  /// Activities are sorted by number, usually without gaps.
  func index(of number: UInt32) -> Int? { Self.index(of: number, among: activities) }

  static func index(of number: UInt32, among activities: [LiveActivity]) -> Int? {
    guard let first = activities.first?.number, number >= first else { return nil }
    let guess = Int(number - first)
    if guess < activities.count, activities[guess].number == number { return guess }
    return activities.firstIndex { $0.number == number }
  }
}
