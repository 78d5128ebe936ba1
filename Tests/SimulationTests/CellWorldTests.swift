import APNs
import Devices
import Testing
import Timeline

@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("A world that is one cell of a fleet")
struct CellWorldTests {
  private let own: UInt32 = 1
  private let other: UInt32 = 6

  private func stage(devices: UInt32 = 40, rulebook: Rulebook = Rulebook()) -> Stage {
    Stage(devices: devices, rulebook: rulebook, cell: Cell(1, of: 4))
  }

  private func troubles(_ events: [WorldEvent]) -> [String] {
    events.compactMap { event in
      if case .trouble(let trouble) = event, trouble.kind == "otherCell" { trouble.sentence } else { nil }
    }
  }

  @Test("a push to another cell's token is rejected, and reported once for each connection and cell")
  func otherCell() throws {
    for way in [Stage.Way.request, .shared, .examined] {
      var stage = stage()
      stage.way = way
      #expect(try stage.push(try stage.token(on: own)).status == 200)
      for device: UInt32 in [other, 2, 10, 7] {
        let record = try stage.push(try stage.token(on: device))
        #expect(record.reason == .badDeviceToken && record.address == nil)
        #expect(stage.world.fleet.place(DeviceID(device)) == nil, "nothing is kept of it")
      }
      let told = troubles(stage.events())
      #expect(told.count == 2)
      #expect(told.first?.contains("token of cell 2 arrived at cell 1 of 4, which answers BadDeviceToken") == true)
      #expect(told.last?.contains("token of cell 3") == true)
    }
  }

  @Test("the second byte decides even for a token that nobody has issued")
  func unknown() throws {
    var stage = stage()
    #expect(try stage.push("ab06" + String(repeating: "ab", count: 30)).reason == .badDeviceToken)
    #expect(troubles(stage.events()).count == 1)
    #expect(try stage.push("ab05" + String(repeating: "ab", count: 30)).reason == .badDeviceToken)
    #expect(try stage.push("ab").reason == .badDeviceToken)
    #expect(troubles(stage.events()) == [])
  }

  @Test("an order for another cell's device is refused with the right cell")
  func orders() throws {
    var stage = stage()
    try stage.order(.goOffline, on: own)
    let problem = #expect(throws: CommandProblem.self) { try stage.order(.goOffline, on: other) }
    #expect(problem?.sentence == "d6 belongs to cell 2; this is cell 1 of 4.")
    let missing = #expect(throws: CommandProblem.self) { try stage.order(.goOffline, on: 40) }
    #expect(missing?.sentence == "There is no device \"d40\"; this fleet has d0 to d39.")
  }

  @Test("a selection, a fault and lists have only its own devices")
  func selections() throws {
    let mine = (0..<40 as Range<UInt32>).filter { $0 % 4 == 1 }.map { DeviceID($0) }
    var stage = stage()
    #expect(stage.world.devices(of: Selection()).devices == mine)
    let outcome = try stage.world.perform(.devices(Selection(), .lock), at: stage.now)
    #expect(outcome.done + outcome.refused == mine.count)
    try stage.world.perform(.setFault(Fault("wave", .devices(.goOffline, heal: .goOnline))), at: stage.now)
    #expect((0..<40).filter { !stage.world.fleet.isOnline(DeviceID($0)) } == mine.map(\.number))
    let page = stage.world.devices(Filter(), from: 0, limit: 100, at: stage.now.world)
    #expect(page.devices.map(\.id) == mine && page.next == nil)
    var summary = FleetSummary(stage.world.fleet)
    while !summary.isDone {
      summary.count(stage.world, PushLog(capacity: 1), mostDevices: 7, mostPushes: 10_000, at: stage.now.world)
    }
    #expect(
      summary.looked == 10 && summary.offline == 10 && summary.tiles.map(\.looked) == Array(repeating: 1, count: 10))
  }

  @Test("the table of touched devices has room for its own devices only, and every one of them has a place")
  func table() throws {
    for (cell, own) in [(Cell(0, of: 3), 86 + 86 + 2), (Cell(2, of: 3), 85 + 85 + 1), (nil, 517)] {
      var stage = Stage(devices: 517, cell: cell)
      let mine = (0..<517).map { DeviceID($0) }.filter { cell?.owns($0) ?? true }
      #expect(mine.count == own && stage.world.fleet.seats == 0, "nothing is stored before the first")
      for device in mine.reversed() { try stage.order(.goOffline, on: device.number) }
      #expect(stage.world.fleet.seats == own)
      #expect(Set(mine.map { stage.world.fleet.place($0) }) == Set((0..<own).map { $0 }))
      #expect(mine.allSatisfy { !stage.world.fleet.isOnline($0) })
    }
  }

  @Test("it lists its own tokens, or those with which another cell begins")
  func tokens() throws {
    let stage = stage()
    func devices(_ filter: Filter) -> Set<UInt32> {
      let page = stage.world.tokens(filter, from: .init(device: 0, skip: 0), limit: 1000, at: stage.now.world)
      return Set(page.tokens.map { $0.device.number % 4 })
    }
    var filter = Filter()
    #expect(devices(filter) == [1])
    filter.cell = Cell(3, of: 4)
    #expect(devices(filter) == [3])
  }

  @Test("a token may be registered only if its second byte names this cell")
  func registered() throws {
    var stage = stage()
    let right = "c005" + String(repeating: "c0", count: 30)
    try stage.register(right, on: own)
    #expect(try stage.push(right).status == 200)
    let wrong = #expect(throws: CommandProblem.self) {
      try stage.register("c007" + String(repeating: "c0", count: 30), on: own)
    }
    #expect(wrong?.sentence.contains("second byte is 7, which names cell 3; d1 belongs to cell 1 of 4") == true)
    let short = #expect(throws: CommandProblem.self) { try stage.register("c0", on: own) }
    #expect(short?.sentence.contains("A token of one byte names no cell") == true)
  }
}
