import APNs
import Devices
import Testing
import Timeline

/// A thousand and more phones of a default fleet, counted.
@Suite("The mix of a fleet")
struct PhoneMixTests {
  private static let profile = AppProfile(bundleID: "com.a", teamID: "T", attributesTypes: ["M"])
  private static let began = Instant(seconds: 1_760_000_000)

  private func phones(_ mix: PhoneMix, seed: UInt64 = 1) -> [Phone] {
    let model = PhoneBehavior(apps: [Self.profile], mix: mix, seed: seed)
    let install = Install(Self.profile, model.policy, worldBegan: Self.began)
    return (0..<10_000).map { Phone(DeviceID($0), os: OSVersion(26, 1), installs: [install], model) }
  }

  private func percent(_ phones: [Phone], _ isSo: (Phone) -> Bool) -> Double {
    Double(phones.count(where: isSo)) / Double(phones.count) * 100
  }

  @Test(
    "each share of the default is what docs/behavior/apps.md#the-fleet says, to the percent, for many seeds",
    arguments: 1...5)
  func shares(seed: UInt64) {
    let phones = phones(PhoneMix(), seed: seed)
    let found: [(String, Double, Double)] = [
      ("island", 60, percent(phones) { $0.hasIsland }), ("watch", 0, percent(phones) { $0.hasWatch }),
      ("offline", 2, percent(phones) { !$0.isOnline }),
      ("low power", 8, percent(phones) { $0.condition.contains(.lowPower) }),
      ("Live Activities", 90, percent(phones) { $0.allowsActivities(0) }),
      ("frequent", 85, percent(phones) { $0.installs[0].allowances.contains(.frequentUpdates) }),
      ("refresh", 100, percent(phones) { $0.installs[0].allowances.contains(.backgroundRefresh) }),
      ("force-quit", 10, percent(phones) { $0.installs[0].life == .forceQuit }),
      ("authorized", 65, percent(phones) { $0.installs[0].permission == .authorized }),
      ("provisional", 10, percent(phones) { $0.installs[0].permission == .provisional }),
      ("denied", 20, percent(phones) { $0.installs[0].permission == .denied }),
      ("undetermined", 5, percent(phones) { $0.installs[0].permission == .notDetermined }),
    ]
    for (name, wanted, share) in found { #expect(abs(share - wanted) < 1.5, "\(name): \(share) %, seed \(seed)") }
  }

  @Test("no two shares are correlated")
  func independent() {
    let phones = phones(PhoneMix())
    let denied = phones.filter { $0.installs[0].permission == .denied }
    #expect(abs(percent(denied) { $0.installs[0].life == .forceQuit } - 10) < 3)
    #expect(abs(percent(denied) { $0.allowsActivities(0) } - 90) < 3)
    #expect(abs(percent(denied) { $0.hasIsland } - 60) < 4)
  }

  @Test("an ideal fleet has no obstacle to a push")
  func ideal() {
    for phone in phones(.ideal) {
      #expect(phone.isOnline && phone.allowsActivities(0) && phone.installs[0].permission == .authorized)
      #expect(phone.installs[0].life == .suspended && phone.hasIsland && !phone.condition.contains(.lowPower))
    }
  }
}
