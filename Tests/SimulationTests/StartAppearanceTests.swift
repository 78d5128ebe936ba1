import Devices
import Simulation
import Testing
import Timeline

/// docs/behavior/budgets.md#times-from-a-start-to-its-token
@Suite("A start by push")
struct StartAppearanceTests {
  private static let usual: DevicePolicy = {
    var policy = Stage.quick
    policy.timing.appearance = Timing.usualAppearance
    return policy
  }()

  /// Milliseconds until a person sees the card and its alert, on each of some phones.
  private func waits(seed: UInt64, _ policy: DevicePolicy = usual) throws -> [Int] {
    var stage = Stage(seed: seed, policy: policy)
    for device in 0..<20 as Range<UInt32> { #expect(try stage.launch(on: device).fate.starts(0)) }
    var waits = [Int?](repeating: nil, count: 20)
    for passed in 0...600 {
      for device in waits.indices where waits[device] == nil {
        let screen = stage.screen(UInt32(device))
        #expect(screen.cards.isEmpty == (screen.alert == nil), "the alert comes with the card")
        if !screen.cards.isEmpty { waits[device] = passed }
      }
      stage.advance(by: .milliseconds(1))
    }
    return try waits.map { try #require($0) }
  }

  @Test("a start by push is visible after 0.1 to 0.5 s, by the phone, and the same in every run of a seed")
  func usual() throws {
    let waits = try waits(seed: 1)
    #expect(waits.allSatisfy { (100...500).contains($0) })
    #expect(Set(waits).count > 10)
    #expect(try self.waits(seed: 1) == waits)
    #expect(try self.waits(seed: 2) != waits)
  }

  @Test("a start by push is visible at once if the setting says so")
  func immediate() throws {
    #expect(try waits(seed: 1, Stage.quick).allSatisfy { $0 == 0 })
  }

  @Test("a start by the app itself is visible at once")
  func local() throws {
    var stage = Stage(policy: Self.usual)
    try stage.order(.startActivity(app: Stage.app, attributesType: nil))
    #expect(stage.screen().cards.count == 1)
  }
}
