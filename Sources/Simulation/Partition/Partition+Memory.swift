import APNs
import Devices
import Timeline

/// What gives way where phones keep too much together.
extension Partition {
  /// A phone may keep more than before.
  mutating func makeRoom(
    for device: DeviceID, at place: Int, now: Instant, _ faults: inout FaultDesk, _ output: inout EventList
  ) {
    let growth = fleet.phones[place].takeGrowth()
    guard growth != 0 else { return }
    let part = device.partition
    var excess = memory.charge(growth, to: part)
    var looks = 0
    while excess > 0, looks < MemoryBudget.looksAPush,
      let other = memory.next(of: part, devices: fleet.plan.devices)
    {
      looks += 1
      guard let place = fleet.place(other) else { continue }
      fleet.phones[place].giveWay(excess, fleet.model, at: now, &news)
      excess = memory.charge(fleet.phones[place].takeGrowth(), to: part)
      if !news.items.isEmpty { takeNews(of: other, &faults, &output) }
    }
  }
}
