import APNs
import Timeline

/// The owner of each phone, drawn from the seed.
///
/// A second phone has an odd number, and is the one after the person's first. Nothing is stored for it: owners and
/// phones are computed from the numbers.
package struct Ownership: Hashable, Sendable {
  /// The odds that two neighbors belong to one person; nil if nobody has two phones.
  private let odds: Odds?
  private let draw: Chance

  /// - Parameter twoPhones: share of people with two phones.
  init(twoPhones: Odds, _ chance: Chance) {
    let (share, whole) = (twoPhones.numerator, twoPhones.denominator)
    // If a share q of the pairs of neighbors has one owner, then of 2 - q people per pair, q have two phones. So
    // q / (2 - q) is the share of people, and q is 2 * share / (1 + share).
    odds = share == 0 ? nil : Odds(2 * share, in: whole + share)
    draw = chance.stream(for: "second phone")
  }

  package func owner(of device: DeviceID) -> UserID {
    UserID(isSecond(device.number) ? device.number - 1 : device.number)
  }

  private func isSecond(_ number: UInt32) -> Bool {
    guard let odds, number % 2 == 1 else { return false }
    return draw.strikes(odds, subject: UInt64(number))
  }

  /// The phones of a person, in the order of their numbers; empty if nobody has that id.
  package func phones(of user: UserID, in fleet: UInt32) -> [DeviceID] {
    guard user.number < fleet, !isSecond(user.number) else { return [] }
    let second = user.number &+ 1
    let hasSecond = second < fleet && isSecond(second)
    return hasSecond ? [DeviceID(user.number), DeviceID(second)] : [DeviceID(user.number)]
  }
}
