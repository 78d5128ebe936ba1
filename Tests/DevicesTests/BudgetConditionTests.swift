import APNs
import Devices
import Testing
import Timeline

@Suite("The condition of a phone")
struct BudgetConditionTests {
  @Test(
    "S109: the condition of a phone changes the capacity by exact fractions, rounded down once",
    arguments: [
      ([], 15, 240), ([.screenOn], 15, 240), ([.locked], 15, 240), ([.lowPower], 7, 120),
      ([.batteryBelow20], 11, 180), ([.thermalSerious], 3, 60), ([.charging], 22, 360),
      // 15 * 0.5 * 1.5 = 11.25, and not 7 * 1.5 = 10.5.
      ([.lowPower, .charging], 11, 180), ([.lowPower, .batteryBelow20], 5, 90),
      ([.lowPower, .batteryBelow20, .thermalSerious], 1, 22),
      ([.lowPower, .batteryBelow20, .thermalSerious, .charging], 2, 33),
    ] as [(DeviceCondition, Int, Int)])
  func capacity(condition: DeviceCondition, standard: Int, frequent: Int) {
    let plan = UpdateBudgetPlan()
    #expect(plan.capacity(.standard, in: condition) == standard)
    #expect(plan.capacity(.frequent, in: condition) == frequent)
  }

  @Test("S109: a dark screen can have its own share")
  func screenOff() {
    var shares = ConditionShares()
    shares.screenOff = 400
    #expect(shares.scale(15, in: []) == 6 && shares.scale(15, in: [.locked]) == 6)
    #expect(shares.scale(15, in: [.screenOn]) == 15 && shares.scale(15, in: [.screenOn, .locked]) == 15)
  }

  private static let all: DeviceCondition = [.lowPower, .batteryBelow20, .thermalSerious, .charging]

  private func shares(all share: UInt16) -> ConditionShares {
    var shares = ConditionShares()
    shares.lowPower = share
    shares.batteryBelow20 = share
    shares.thermalSerious = share
    shares.charging = share
    shares.screenOff = share
    return shares
  }

  @Test("the largest shares of the largest capacity fit; the smallest give zero")
  func extremes() {
    // 4294967295 * 65.535^5, by a calculator with long integers.
    #expect(shares(all: .max).scale(.max, in: Self.all) == 5_191_900_728_602_496_448)
    #expect(shares(all: 1).scale(.max, in: Self.all) == 0)
    #expect(shares(all: 0).scale(.max, in: Self.all) == 0)
    #expect(shares(all: 1000).scale(.max, in: Self.all) == Int(UInt32.max))
  }

  @Test(
    "S105: the condition decides how late priority 5 may be; a lit screen overrides the charger, then Low Power Mode",
    arguments: [
      ([.screenOn], 0, 2), ([.screenOn, .locked, .lowPower, .charging], 0, 2), ([.charging], 0, 30),
      ([.charging, .lowPower, .locked], 0, 30), ([.lowPower], 60, 900), ([.lowPower, .locked], 60, 900),
      ([.locked], 5, 120), ([], 5, 120), ([.locked, .thermalSerious, .batteryBelow20], 5, 120),
    ] as [(DeviceCondition, Int64, Int64)])
  func range(condition: DeviceCondition, least: Int64, most: Int64) {
    #expect(LowPriorityPlan().range(in: condition) == .seconds(least)...(.seconds(most)))
  }
}
