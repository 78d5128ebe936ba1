import Devices

/// What became of a push after the gate.
///
/// Documented: the words are those of Apple's push console and metrics ("Viewing the status of push notifications
/// using metrics and APNs").
package enum Fate: Hashable, Sendable {
  /// APNs did not take it.
  case refused
  /// The device has it.
  case delivered(Reaction)
  case storedOffline
  /// APNs said 200 because it did not know yet that the app or the token is gone.
  case discardedUnregistered

  package var words: String {
    switch self {
    case .refused: "Refused by APNs"
    case .delivered: "Delivered to Device"
    case .storedOffline: "Stored - Device Offline"
    case .discardedUnregistered: "Discarded - Token Unregistered"
    }
  }
}
