import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("The agenda")
struct AgendaTests {
  @Test("an agenda returns no entry before the entry is due, and every entry that is due")
  func nothingBeforeItsTime() {
    var agenda = Agenda<String>()
    #expect(agenda.count == 0 && agenda.nextDue == nil)
    agenda.add("tea", due: Instant(seconds: 5))
    #expect(agenda.nextDue == Instant(seconds: 5))
    #expect(agenda.takeDue(by: Instant(nanoseconds: 4_999_999_999)) == nil)
    let taken = agenda.takeDue(by: Instant(seconds: 5))
    #expect(taken?.work == "tea" && taken?.due == Instant(seconds: 5))
    #expect(agenda.count == 0 && agenda.nextDue == nil && agenda.takeDue(by: .distantFuture) == nil)
  }

  @Test("work of one device that is due at the same instant is returned in the order it was added")
  func equalsKeepTheirOrder() {
    var agenda = Agenda<Int>()
    for number in 0..<100 { agenda.add(number, due: Instant(seconds: 1)) }
    var taken: [Int] = []
    while let (_, work) = agenda.takeDue(by: Instant(seconds: 1)) { taken.append(work) }
    #expect(taken == Array(0..<100))
  }

  @Test("of work due at the same instant, work without a device is first, then device by device, each in its order")
  func devicesInTurn() {
    var agenda = Agenda<String>()
    let at = Instant(seconds: 1)
    let entries: [(String, UInt32?)] = [
      ("d7 a", 7), ("d2 a", 2), ("front a", nil), ("d7 b", 7), ("d2 b", 2), ("front b", nil),
    ]
    for (work, device) in entries {
      agenda.add(work, of: device.map { DeviceID($0) }, due: at)
    }
    agenda.add("d9 earlier", of: DeviceID(9), due: Instant(nanoseconds: at.nanoseconds - 1))
    var taken: [String] = []
    while let (_, work) = agenda.takeDue(by: at) { taken.append(work) }
    #expect(taken == ["d9 earlier", "front a", "front b", "d2 a", "d2 b", "d7 a", "d7 b"])
  }

  @Test("the last device of the largest fleet is behind all others")
  func lastDevice() {
    var agenda = Agenda<UInt32>()
    let last = FleetPlan.mostDevices - 1
    for device in [last, 0, 1 << 24, last - 1] { agenda.add(device, of: DeviceID(device), due: Instant(seconds: 1)) }
    var taken: [UInt32] = []
    while let (_, work) = agenda.takeDue(by: Instant(seconds: 1)) { taken.append(work) }
    #expect(taken == [0, 1 << 24, last - 1, last])
  }

  @Test("late work keeps the time at which it was due")
  func lateWorkKeepsItsTime() {
    var agenda = Agenda<Int>()
    agenda.add(2, due: Instant(seconds: 20))
    agenda.add(1, due: Instant(seconds: 10))
    let first = agenda.takeDue(by: Instant(seconds: 1000))
    let second = agenda.takeDue(by: Instant(seconds: 1000))
    #expect(first?.due == Instant(seconds: 10) && first?.work == 1)
    #expect(second?.due == Instant(seconds: 20) && second?.work == 2)
  }

  @Test("an agenda returns its entries as a sorted array would, whatever is added and removed")
  func agreesWithASortedArray() {
    for seed: UInt64 in 0..<200 {
      let chance = Chance(seed: seed)
      var agenda = Agenda<Int>()
      var model: [(due: Instant, work: Int)] = []
      for step: UInt64 in 0..<300 {
        if chance.below(3, subject: step, count: 0) < 2 {
          let due = Instant(seconds: Int64(chance.below(40, subject: step, count: 1)))
          agenda.add(Int(step), due: due)
          // After all that are due no later: equals keep their order.
          model.insert((due, Int(step)), at: model.firstIndex { $0.due > due } ?? model.count)
        } else {
          let now = Instant(seconds: Int64(chance.below(45, subject: step, count: 2)))
          let taken = agenda.takeDue(by: now)
          let expected = model.first.flatMap { $0.due <= now ? $0 : nil }
          if expected != nil { model.removeFirst() }
          guard taken?.work == expected?.work, taken?.due == expected?.due else {
            Issue.record("seed \(seed), step \(step): took \(taken?.work ?? -1), not \(expected?.work ?? -1)")
            return
          }
        }
        guard agenda.count == model.count, agenda.nextDue == model.first?.due else {
          Issue.record("seed \(seed), step \(step): \(agenda.count) entries, \(model.count) expected")
          return
        }
      }
    }
  }

  @Test("an agenda keeps the order of the remaining entries when others are dropped, however many remain")
  func droppedEntries() {
    for seed: UInt64 in 0..<100 {
      let chance = Chance(seed: seed)
      var agenda = Agenda<Int>()
      for number in 0..<Int(seed) {
        agenda.add(number, due: Instant(seconds: Int64(chance.below(20, subject: UInt64(number)))))
      }
      var wanted = agenda
      let isWanted = { (work: Int) in chance.below(100, subject: UInt64(work), count: 1) < seed % 5 * 25 }
      agenda.keep { work, _ in isWanted(work) }
      while let next = wanted.takeDue(by: .distantFuture) {
        guard isWanted(next.work) else { continue }
        #expect(agenda.takeDue(by: .distantFuture)?.work == next.work, "seed \(seed)")
      }
      #expect(agenda.count == 0, "seed \(seed)")
    }
  }
}
