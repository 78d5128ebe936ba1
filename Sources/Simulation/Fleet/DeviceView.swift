import APNs
import Devices
import Timeline

/// A device as the admin API shows it, with all names resolved.
package struct DeviceView: Sendable {
  package struct StartToken: Sendable {
    package let attributesType: String
    package let token: String
  }

  package struct Service: Sendable {
    package let kind: TokenKind
    package let token: String
  }

  package struct Activity: Sendable {
    package let id: String
    package let attributesType: String
    package let state: LiveActivity.State
    package var isOver: Bool { state == .ended || state == .dismissed }
    package let startedAt: Instant
    package let endedAt: Instant?
    package let origin: LiveActivity.Origin
    /// Immediate priority 10 updates left; nil if it does not run.
    package let budgetLeft: Int?
    package let token: String?
  }

  package struct App: Sendable {
    package let profile: AppProfile
    package let environment: Environment
    package let isInstalled: Bool
    package let life: AppLifecycle
    package let permission: NotificationPermission
    package let allowances: Install.Allowances
    package let level: BudgetLevel
    /// Starts by push left; negative if rejected starts were charged.
    package let startsLeft: Int
    package let deviceToken: String?
    package let startTokens: [StartToken]
    package let services: [Service]
    package let activities: [Activity]
  }

  package let id: DeviceID
  package let user: UserID
  package let os: OSVersion
  package let isOnline: Bool
  package let condition: DeviceCondition
  package let hasIsland: Bool
  package let hasWatch: Bool
  /// By how much its clock is ahead.
  package let clockAhead: Duration
  /// Number of pushes stored for it by APNs.
  package let waiting: Int
  package let apps: [App]
}

/// A token as the admin API shows it.
package struct TokenView: Sendable {
  package let token: String
  package let kind: TokenKind
  package let device: DeviceID
  package let app: String
  package let topic: String
  package let environment: Environment
  package let attributesType: String?
  package let activity: String?
  package let isLive: Bool
  package let isGiven: Bool
}
