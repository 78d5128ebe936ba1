import APNs
import Timeline

/// Queries about an install.
extension Install {
  /// True if the app has a push-to-start token on that version of iOS.
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
}
