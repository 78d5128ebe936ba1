import APNs
import Timeline

/// The composition of a fleet: each share is drawn from the seed, device by device.
///
/// Assumed: every figure, from what vendors publish of opt-in rates and the age of phones in late 2026.
package struct PhoneMix: Hashable, Sendable {
  package var island = Odds(60, in: 100)
  /// A paired Apple Watch that shows alerts.
  package var watch = Odds.never
  /// Live Activities allowed, app by app.
  package var liveActivities = Odds(90, in: 100)
  /// "More Frequent Updates" left on, app by app.
  package var frequentUpdates = Odds(85, in: 100)
  package var backgroundRefresh = Odds.always
  /// Apps that were force-quit.
  package var forceQuit = Odds(10, in: 100)
  package var offline = Odds(2, in: 100)
  package var lowPower = Odds(8, in: 100)
  /// People with two phones of the fleet.
  package var twoPhones = Odds.never
  /// Shares of the answers to the notification prompt; the remainder has not been asked.
  package var authorized = Odds(65, in: 100)
  package var provisional = Odds(10, in: 100)
  package var denied = Odds(20, in: 100)

  /// The language of all phones.
  package var language = "en"

  package init() {}

  /// Phones on which nothing hinders a push: for tests of a backend that need predictable phones.
  package static let ideal: PhoneMix = {
    var mix = PhoneMix()
    mix.island = .always
    mix.liveActivities = .always
    mix.frequentUpdates = .always
    mix.forceQuit = .never
    mix.offline = .never
    mix.lowPower = .never
    mix.authorized = .always
    mix.provisional = .never
    mix.denied = .never
    return mix
  }()
}

extension PhoneMix {
  /// A person's answer, drawn by the three shares in their order.
  ///
  /// - Parameter bits: a draw, of which the low half is used.
  func permission(low bits: UInt64) -> NotificationPermission {
    // In millionths, so that shares of any precision add up.
    var drawn = ((bits & 0xFFFF_FFFF) * 1_000_000) >> 32
    for (odds, permission) in [
      (authorized, NotificationPermission.authorized), (provisional, .provisional), (denied, .denied),
    ] {
      let parts = 1_000_000 * odds.numerator / odds.denominator
      if drawn < parts { return permission }
      drawn -= parts
    }
    return .notDetermined
  }
}
