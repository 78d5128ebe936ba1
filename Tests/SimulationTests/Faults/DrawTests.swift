import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The draws of a fault with odds")
struct DrawTests {
  private static func address(_ slot: TokenSlot, app: Int = 0) -> Address {
    Address(device: DeviceID(0), app: app, slot: slot, generation: 0)
  }

  @Test("the draws of a fault have a subject for each kind of token of each app, and older kinds keep theirs")
  func subjects() {
    let services = TokenKind.services.map { TokenSlot.service($0) }
    var slots = [TokenSlot.app] + services
    for number in 0..<4 { slots += [.pushToStart(type: number), .update(activity: UInt32(number))] }
    let numbers = (0..<3).flatMap { app in slots.map { Self.address($0, app: app).slotNumber } }
    #expect(Set(numbers).count == 3 * slots.count)
    let known: [(TokenSlot, UInt64)] = [
      (.app, 0), (.pushToStart(type: 1), 0x20_0001), (.update(activity: 7), 0x30_0007),
    ]
    for (slot, number) in known {
      #expect(Self.address(slot).slotNumber == number)
      #expect(Self.address(slot, app: 2).slotNumber == 2 << 56 ^ number)
    }
  }

  @Test("the draws of a fault differ between an app's services, and pushes to one do not change those of another")
  func services() throws {
    let kinds: [(suffix: TopicSuffix, type: String)] = [
      (.voip, "voip"), (.complication, "complication"), (.widgets, "widgets"),
    ]
    func struck(_ sent: [Int]) throws -> [[Bool]] {
      let profile = AppProfile(bundleID: Stage.app, teamID: Stage.team, services: kinds.map(\.suffix))
      var stage = Stage(devices: 40, apps: [profile])
      var fault = Fault("f", .push(.refuse(.serviceUnavailable, retryAfter: nil, age: nil, pieces: nil)))
      fault.odds = Odds(1, in: 2)
      try stage.world.perform(.setFault(fault), at: stage.now)
      var found = kinds.map { _ in [Bool]() }
      for _ in 0..<2 {
        for device in 0..<40 as Range<UInt32> {
          for index in sent {
            let (suffix, type) = kinds[index]
            let record = try stage.send(
              try stage.token(.service(suffix), on: device), topic: Stage.app + suffix.text, #"{"aps":{}}"#,
              ["apns-push-type": type])
            #expect([200, 503].contains(record.status), "\(type): \(record.answer)")
            found[index].append(record.status == 503)
            _ = stage.events()
          }
        }
      }
      return found
    }
    let all = try struck([0, 1, 2])
    #expect(Set(all).count == 3)
    for index in kinds.indices { #expect(try struck([index])[index] == all[index]) }
  }
}
