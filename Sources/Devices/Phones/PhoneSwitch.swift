import APNs

/// Switches of a phone, used by a person or by the phone itself.
package enum PhoneSwitch: String, CaseIterable, Hashable, Sendable {
  case lowPower
  case batteryLow
  case thermalPressure
  case charging
  /// A Focus, such as Do Not Disturb.
  case focus
  /// Time-sensitive notifications pass the Focus.
  case timeSensitive
  /// The phone stands on its side: StandBy, while it is locked and charging.
  case standBy
  /// It is connected to a car.
  case carPlay
  /// A Mac of the same owner is near.
  case mac
  /// Live Activities of the whole device.
  case allLiveActivities
  /// Live Activities of one app.
  case liveActivities
  /// "More Frequent Updates" of one app.
  case frequentUpdates
  case backgroundRefresh

  /// Whether it applies to one app.
  package var isOfApp: Bool {
    switch self {
    case .liveActivities, .frequentUpdates, .backgroundRefresh: true
    case .lowPower, .batteryLow, .thermalPressure, .charging, .focus, .timeSensitive, .standBy, .carPlay, .mac,
      .allLiveActivities:
      false
    }
  }
}
