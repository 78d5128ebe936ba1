import APNs
import Devices
import Scenarios
import Simulation
import TestSupport
import Testing
import Timeline

@Suite("Sessions in any order")
struct RandomSessionsTests {
  /// Sessions that may be open at the same time; the key, the app and the device decide which one owns a push.
  private static let kinds: [(name: String, keys: [Int]?, topics: [String]?, devices: [UInt32]?)] = [
    ("key", [0], nil, nil),
    ("topic", [1], [SessionStage.other], nil),
    ("devices", [1], [SessionStage.app], [0, 1, 2]),
    ("rest", [1], [SessionStage.app], [3, 4, 5, 6, 7]),
  ]

  private static func owner(key: Int, app: Int, device: UInt32) -> String? {
    switch key {
    case 0: "key"
    case 1: app == 1 ? "topic" : device < 3 ? "devices" : "rest"
    default: nil
    }
  }

  @Test("their ledgers equal a filter of the full ledger", arguments: 0..<20 as Range<UInt64>)
  func interleaved(seed: UInt64) throws {
    var dice = Dice(seed: 0x5E55_1045 &+ seed)
    var stage = SessionStage(devices: 8, seed: seed, pushLog: 10_000)
    var open: [String: [UInt64]] = [:]
    var fates: [String: [UInt64: Fate]] = [:]
    for _ in 0..<300 {
      switch dice.below(12) {
      case 0:
        let kind = Self.kinds[dice.below(Self.kinds.count)]
        guard open[kind.name] == nil else { continue }
        if (try? stage.session(kind.name)) != nil { try stage.simulator.readers.sessions.delete(kind.name) }
        try stage.open(kind.name, keys: kind.keys, topics: kind.topics, devices: kind.devices)
        open[kind.name] = []
      case 1:
        guard let name = open.keys.sorted().first else { continue }
        let closed = try stage.close(name)
        fates[name] = Dictionary(
          uniqueKeysWithValues: closed.pushLog.list(.init(), before: nil, limit: 10_000).pushes.map {
            ($0.sequence, $0.fate)
          })
        #expect(try stage.pushes(name) == open[name], "seed \(seed): \(name) as it was closed")
        for (number, fate) in fates[name] ?? [:] {
          #expect(
            stage.simulator.readers.logs.pushLog.push(number: number)?.fate == fate, "seed \(seed): push \(number)")
        }
        open[name] = nil
      case 2: _ = try? stage.order(.goOffline, on: UInt32(dice.below(8)))
      case 3: _ = try? stage.order(.goOnline, on: UInt32(dice.below(8)))
      case 4: stage.advance(by: .seconds(dice.below(100)))
      default:
        let (key, app, device) = (dice.below(3), dice.below(2), UInt32(dice.below(8)))
        let record = try stage.push(device, key: key, app: app)
        if let owner = Self.owner(key: key, app: app, device: device) { open[owner]?.append(record.sequence) }
      }
    }
    for (name, numbers) in open {
      #expect(try stage.pushes(name) == numbers, "seed \(seed): \(name)")
      for number in numbers {
        let mine = try stage.session(name).pushLog.push(number: number)?.fate
        #expect(
          mine == stage.simulator.readers.logs.pushLog.push(number: number)?.fate, "seed \(seed): push \(number)")
      }
    }
  }
}
