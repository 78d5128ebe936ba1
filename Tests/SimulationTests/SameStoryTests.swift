import APNs
import Devices
import Simulation
import TestSupport
import Testing
import Timeline

/// Random days in a world's life, and that they can be lived again.
@Suite("The same seed and the same calls")
struct SameStoryTests {
  /// A few hundred random calls on a few devices.
  private func events(calls: UInt64, seed: UInt64 = 1) throws -> [WorldEvent] {
    var dice = Dice(seed: calls)
    var stage = Stage(devices: 5, seed: seed, os: nil)
    var known: [(String, String)] = []
    for device: UInt32 in 0..<5 { known.append((try stage.token(on: device), Stage.app)) }
    for _ in 0..<200 {
      let device = UInt32(dice.below(5))
      switch dice.below(10) {
      case 0: try? stage.order(.uninstall(app: nil), on: device)
      case 1: try? stage.order(.reinstall(app: nil), on: device)
      case 2: try? stage.order(.startActivity(app: nil, attributesType: nil), on: device)
      case 3: try? stage.order(dice.below(2) == 0 ? .goOffline : .goOnline, on: device)
      case 4: try? stage.order(.rotate(.device, app: nil, attributesType: nil, activity: nil), on: device)
      case 5: stage.advance(by: .seconds(dice.below(20_000)))
      default:
        let (token, topic) = known[dice.below(known.count)]
        _ = try stage.push(token, topic: topic, body: #"{"aps":{"event":"end"}}"#)
      }
      let number = UInt32(dice.below(4))
      if let token = stage.world.fleet.token(DeviceID(device), app: 0, slot: .update(activity: number)) {
        known.append((token.text, Stage.activityTopic))
      }
      known.append((try stage.token(on: device), Stage.app))
    }
    return stage.events()
  }

  @Test("the same seed and the same calls give the same events, for any calls")
  func sameSeedSameStory() throws {
    var reasons: Set<RejectionReason> = []
    for calls: UInt64 in 0..<25 {
      let first = try events(calls: calls)
      #expect(try events(calls: calls) == first, "calls \(calls)")
      for case .push(let record) in first { if let reason = record.reason { reasons.insert(reason) } }
    }
    // So that the days were worth living.
    #expect(reasons.isSuperset(of: [.unregistered, .expiredToken]), "\(reasons)")
  }

  @Test("the same calls with another seed give other events")
  func otherSeedOtherStory() throws {
    #expect(try events(calls: 3, seed: 1) != events(calls: 3, seed: 2))
  }

  @Test("two devices' pushes have the same fate in either order")
  func interleaving() throws {
    func fates(_ order: [UInt32]) throws -> [UInt32: [String]] {
      var stage = Stage()
      var fates: [UInt32: [String]] = [:]
      var tokens: [UInt32: String] = [:]
      for device: UInt32 in 0..<4 {
        tokens[device] = try stage.token(on: device)
        try stage.order(.uninstall(app: Stage.app), on: device)
      }
      for _ in 0..<30 {
        for device in order {
          let record = try stage.push(try #require(tokens[device]))
          fates[device, default: []].append("\(record.status) \(record.answer.rejection?.since?.nanoseconds ?? 0)")
        }
        stage.advance(by: .seconds(3600))
      }
      return fates
    }
    let forwards = try fates([0, 1, 2, 3])
    #expect(try fates([3, 2, 1, 0]) == forwards)
    #expect(try fates([2, 0, 3, 1]) == forwards)
    #expect(forwards.values.allSatisfy { $0.first == "200 0" && $0.last?.hasPrefix("410 ") == true })
  }
}
