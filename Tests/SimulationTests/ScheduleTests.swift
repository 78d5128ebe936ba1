import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The schedule")
struct ScheduleTests {
  private static let at = Instant(seconds: 1)

  private func look(_ device: UInt32) -> Schedule.Work { .expiryCheck(DeviceID(device), number: 0) }

  @Test("work added while work is done is due after it, so that time moves on")
  func plansItselfAgain() {
    var schedule = Schedule(devices: 1)
    schedule.add(look(0), due: Self.at)
    let first = schedule.takeNext(by: Self.at)
    schedule.add(look(0), due: Self.at)
    let none = schedule.takeNext(by: Self.at)
    #expect(first?.due == Self.at && none == nil && schedule.nextDue == Self.at.advanced(nanoseconds: 1))
    schedule.finish()
    schedule.add(look(0), due: Self.at)
    let last = schedule.takeNext(by: Self.at)
    #expect(last?.due == Self.at)
  }

  @Test("work for a time that has passed is due now, after the work that is due by then")
  func past() {
    var schedule = Schedule(devices: 3)
    schedule.reach(Self.at)
    schedule.add(look(1), due: Self.at)
    schedule.add(look(2), due: .distantPast)
    schedule.add(look(0), due: Self.at.advanced(nanoseconds: 1))
    #expect(schedule.nextDue == Self.at)
    var taken: [Schedule.Work] = []
    while let (due, work) = schedule.takeNext(by: .distantFuture) {
      #expect(due >= Self.at)
      taken.append(work)
      schedule.finish()
      schedule.reach(.distantPast)
      if taken.count == 3 { schedule.add(look(1), due: Self.at) }
    }
    #expect(taken == [look(1), look(2), look(0), look(1)])
  }

  @Test("a schedule reports the first due time, whatever is added, taken and removed")
  func soonest() {
    var schedule = Schedule(devices: 1)
    #expect(schedule.soonest == .distantFuture)
    for second in [3, 1, 2] as [Int64] { schedule.add(look(0), due: Instant(seconds: second)) }
    #expect(schedule.soonest == Instant(seconds: 1))
    _ = schedule.takeNext(by: Instant(seconds: 1))
    schedule.finish()
    #expect(schedule.soonest == Instant(seconds: 2))
    schedule.dropObsolete { _, due in due > Instant(seconds: 2) }
    #expect(schedule.soonest == Instant(seconds: 3) && schedule.count == 1)
    _ = schedule.takeNext(by: Instant(seconds: 3))
    #expect(schedule.soonest == .distantFuture && schedule.nextDue == nil)
  }

  @Test("work due after the end of time is not added")
  func endOfTime() {
    var schedule = Schedule(devices: 1)
    schedule.add(look(0), due: WorldClock.end.advanced(nanoseconds: 1))
    #expect(schedule.count == 0 && schedule.soonest == .distantFuture)
    schedule.add(look(0), due: WorldClock.end)
    #expect(schedule.count == 1)
  }

  @Test("work without a device is ordered by its place")
  func owners() {
    var schedule = Schedule(devices: 3)
    schedule.add(look(1), due: Self.at)
    schedule.add(.wire(ProviderConnectionID(1), 1), of: DeviceID(2), due: Self.at)
    schedule.add(.callLeaves(7), of: DeviceID(0), due: Self.at)
    schedule.add(.wire(ProviderConnectionID(1), 2), due: Self.at)
    var taken: [Schedule.Work] = []
    while let (_, work) = schedule.takeNext(by: Self.at) { taken.append(work) }
    #expect(taken == [.wire(ProviderConnectionID(1), 2), .callLeaves(7), look(1), .wire(ProviderConnectionID(1), 1)])
  }

  @Test("stale entries are removed once they are half of all, and there are at least 65")
  func stale() {
    var schedule = Schedule(devices: 200)
    for device: UInt32 in 0..<140 { schedule.add(look(device), due: Self.at) }
    let many = [65, 5].map { count in
      schedule.countObsolete(count)
      return schedule.isMostlyObsolete
    }
    #expect(many == [false, false])
    schedule.countObsolete(1)
    #expect(schedule.isMostlyObsolete)
    schedule.dropObsolete { work, _ in work != look(0) }
    #expect(!schedule.isMostlyObsolete && schedule.count == 139)
    var few = Schedule(devices: 1)
    few.countObsolete(64)
    #expect(!few.isMostlyObsolete)
    few.countObsolete(1)
    #expect(few.isMostlyObsolete)
  }
}
