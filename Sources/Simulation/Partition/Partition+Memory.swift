import APNs
import Devices
import Timeline

/// Frees memory when phones together exceed the limit.
extension Partition {
  /// A phone uses more memory than before: frees some of its 256th of the fleet.
  mutating func reclaimMemory(for device: DeviceID, at place: Int, now: Instant) {
    let part = device.partition
    var excess = memory.charge(fleet.phones[place].takeGrowth(), to: part)
    var looks = 0
    while excess > 0, looks < MemoryBudget.looksPerPush,
      let other = memory.next(of: part, devices: fleet.plan.devices)
    {
      looks += 1
      guard let place = fleet.place(other) else { continue }
      turn.begin(fleet.model, at: now)
      fleet.phones[place].evictContent(atLeast: excess, &turn)
      excess = memory.free(-fleet.phones[place].takeGrowth(), of: part)
      if !turn.effects.items.isEmpty { takeEffects(of: other) }
    }
  }
}
