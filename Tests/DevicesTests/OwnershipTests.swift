import APNs
import Devices
import Testing
import Timeline

@Suite("The people of a fleet and their phones")
struct OwnershipTests {
  private static let fleet: UInt32 = 10_000

  private func ownership(_ share: UInt64, seed: UInt64 = 1) -> Ownership {
    var mix = PhoneMix()
    mix.twoPhones = Odds(share, in: 100)
    return PhoneBehavior(apps: [], mix: mix, seed: seed).ownership
  }

  /// The number of phones of each person who has any.
  private func counts(_ ownership: Ownership) -> [UserID: Int] {
    (0..<Self.fleet).reduce(into: [:]) { $0[ownership.owner(of: DeviceID($1)), default: 0] += 1 }
  }

  @Test(
    "the share of people with two phones is that of the setting, to two percent, for many seeds",
    arguments: [1, 10, 33, 50, 90] as [UInt64], 1...5 as ClosedRange<UInt64>)
  func share(percent: UInt64, seed: UInt64) {
    let counts = counts(ownership(percent, seed: seed))
    let found = Double(counts.values.count { $0 == 2 }) / Double(counts.count) * 100
    #expect(abs(found - Double(percent)) < 2, "\(found) %, seed \(seed)")
    #expect(counts.values.allSatisfy { (1...2).contains($0) })
  }

  @Test(
    "a second phone has an odd number, and is the one after the person's first", arguments: 1...5 as ClosedRange<UInt64>
  )
  func second(seed: UInt64) {
    let ownership = ownership(50, seed: seed)
    for number in 0..<Self.fleet {
      let owner = ownership.owner(of: DeviceID(number))
      #expect(owner.number == number || (number % 2 == 1 && owner.number == number - 1))
    }
  }

  @Test("the owner of each phone of a person is that person, and each phone is one of its owner's")
  func agree() {
    let ownership = ownership(50)
    var listed: [DeviceID] = []
    for number in 0..<Self.fleet {
      guard let user = UserID("u\(number)") else { continue }
      let phones = ownership.phones(of: user, in: Self.fleet)
      #expect(phones.allSatisfy { ownership.owner(of: $0) == user })
      listed += phones
    }
    #expect(listed == (0..<Self.fleet).map { DeviceID($0) })
  }

  @Test("everybody has one phone with 0% and two with 100%, except for the last person of an odd fleet")
  func extremes() throws {
    #expect(counts(ownership(0)).count == Int(Self.fleet) && counts(ownership(100)).count == Int(Self.fleet) / 2)
    let all = ownership(100)
    func phones(_ user: String) throws -> [DeviceID] { all.phones(of: try #require(UserID(user)), in: 3) }
    #expect(try phones("u0") == [DeviceID(0), DeviceID(1)] && phones("u2") == [DeviceID(2)])
    #expect(try phones("u1").isEmpty && phones("u4").isEmpty && phones("u4294967295").isEmpty)
  }

  @Test(
    "the id of a person has one spelling",
    arguments: ["", "u", "4", "d4", "u04", "u-1", "u+4", "U4", "u4294967296", "u4 "])
  func spelling(text: String) {
    #expect(UserID(text) == nil && UserID("u4")?.text == "u4")
  }
}
