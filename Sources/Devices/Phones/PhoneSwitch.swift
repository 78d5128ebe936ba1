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
  /// The phone is connected to a car.
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

  /// The state that a switch changes.
  enum Effect {
    /// Adds to the phone's condition while the switch is on.
    case sets(DeviceCondition)
    /// Adds to the phone's condition while the switch is off.
    case clears(DeviceCondition)
    /// Adds to the allowances of one app while the switch is on.
    case allows(Install.Allowances)
  }

  var effect: Effect {
    switch self {
    case .lowPower: .sets(.lowPower)
    case .batteryLow: .sets(.batteryBelow20)
    case .thermalPressure: .sets(.thermalSerious)
    case .charging: .sets(.charging)
    case .focus: .sets(.focus)
    case .timeSensitive: .sets(.timeSensitiveAllowed)
    case .standBy: .sets(.onItsSide)
    case .carPlay: .sets(.inCar)
    case .mac: .sets(.besideMac)
    case .allLiveActivities: .clears(.activitiesOff)
    case .liveActivities: .allows(.liveActivities)
    case .frequentUpdates: .allows(.frequentUpdates)
    case .backgroundRefresh: .allows(.backgroundRefresh)
    }
  }

  /// True if the switch is of one app.
  package var isOfApp: Bool { if case .allows = effect { true } else { false } }
}
