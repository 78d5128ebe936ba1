/// A state of a push, as Apple's delivery metrics name it.
///
/// Documented: "Viewing the status of push notifications using metrics and APNs", for the states up to
/// `discardedDisabledFromStorage`. The others are Pushpit's own, for what Apple does not count
/// (docs/behavior/delivery.md).
package enum DeliveryStatus: Int, CaseIterable, Hashable, Sendable {
  case received
  case delivered
  case deliveredFromStorage
  case storedOffline
  case storedForPower
  case discardedUnregistered
  case discardedUnregisteredFromStorage
  case discardedExpired
  case discardedDisabled
  case discardedDisabledFromStorage
  case discardedNotStored
  case discardedReplaced
  case discardedForCertificate
  case discardedByFault
  case onTheWay
  case lostOnTheWay
  case refused

  package var words: String {
    switch self {
    case .received: "Received by APNs"
    case .delivered: "Delivered to Device"
    case .deliveredFromStorage: "Delivered to Device (From Storage)"
    case .storedOffline: "Stored - Device Offline"
    case .storedForPower: "Stored - Power Considerations"
    case .discardedUnregistered: "Discarded - Token Unregistered"
    case .discardedUnregisteredFromStorage: "Discarded - Token Unregistered (From Storage)"
    case .discardedExpired: "Discarded - Expired"
    case .discardedDisabled: "Discarded - Disabled"
    case .discardedDisabledFromStorage: "Discarded - Disabled (From Storage)"
    case .discardedNotStored: "Discarded - Not Stored"
    case .discardedReplaced: "Discarded - Replaced"
    case .discardedForCertificate: "Discarded - Certificate"
    case .discardedByFault: "Discarded - Fault"
    case .onTheWay: "On the Way to Device"
    case .lostOnTheWay: "Lost on the Way to Device"
    case .refused: "Refused by APNs"
    }
  }
}
