import Devices
import Grammar
import Timeline

extension Settings {
  /// Makes the three shares of answers to the notification prompt add up: default values make room for given ones.
  mutating func settlePermissions(_ given: [SettingAssignment]) throws(InputProblem) {
    var room: UInt64 = 1_000_000
    var rest: [WritableKeyPath<PhoneMix, Odds>] = []
    for (key, share) in [
      ("fleet.mix.authorized", \PhoneMix.authorized), ("fleet.mix.provisional", \.provisional),
      ("fleet.mix.denied", \.denied),
    ] {
      guard let assignment = given.last(where: { $0.setting.key == key }) else {
        rest.append(share)
        continue
      }
      let taken = phones[keyPath: share].millionths
      guard taken <= room else {
        throw InputProblem(
          assignment.place,
          "fleet.mix.authorized, provisional and denied must be at most 100% together; \(key) exceeds that (the"
            + " remainder has not been asked).")
      }
      room -= taken
    }
    let wanted = rest.reduce(0) { $0 + phones[keyPath: $1].millionths }
    guard wanted > room else { return }
    for share in rest {
      phones[keyPath: share] = Odds(phones[keyPath: share].millionths * room / wanted, in: 1_000_000)
    }
  }
}

extension Odds {
  fileprivate var millionths: UInt64 { 1_000_000 * numerator / denominator }
}
