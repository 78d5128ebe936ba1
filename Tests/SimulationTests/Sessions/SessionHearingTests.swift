import Devices
import Simulation
import TestSupport
import Testing
import Timeline

@Suite("Events of phones in a session")
struct SessionHearingTests {
  private static let kinds: [(name: String, keys: [Int]?, topics: [String]?, devices: [UInt32]?)] = [
    ("key", [0], nil, nil), ("topic", nil, [SessionStage.app], nil), ("both", [1], [SessionStage.other], nil),
    ("devices", nil, nil, [0, 1, 2]), ("app on devices", nil, [SessionStage.other], [3, 4]), ("all", nil, nil, nil),
  ]

  /// True if a push belongs to a session of this kind. Only one session is open, so no other can own the push.
  private static func owns(_ kind: Int, key: Int, app: Int, device: UInt32) -> Bool {
    let (_, keys, topics, devices) = kinds[kind]
    let topic = app == 0 ? SessionStage.app : SessionStage.other
    return keys?.contains(key) ?? true && topics?.contains(topic) ?? true && devices?.contains(device) ?? true
  }

  private static func count(_ name: String) -> Simulation.Expectation {
    var filter = Filter()
    filter.event = name
    return Simulation.Expectation(name: name, place: name, question: .events(filter, .count(0...0)))
  }

  /// A session that names devices, or is for everything, hears of a phone at once; any other once a push of its own has
  /// reached the phone. What befalls an app is heard only where no other app is named.
  @Test(
    "a session reads those events of phones and apps that a model predicts", arguments: kinds.indices,
    0..<15 as Range<UInt64>)
  func model(kind: Int, seed: UInt64) throws {
    var dice = Dice(seed: 0x4EA5_0000 &+ seed)
    var stage = SessionStage(devices: 8, seed: seed, pushLog: 1000)
    let (name, keys, topics, devices) = Self.kinds[kind]
    // What happened before is nobody's.
    for _ in 0..<6 {
      try stage.push(UInt32(dice.below(8)), key: dice.below(3), app: dice.below(2))
      _ = try? stage.order(.goOffline, on: UInt32(dice.below(8)))
    }
    let names = ["wentOffline", "wentOnline", "appForegrounded"]
    try stage.open(name, keys: keys, topics: topics, devices: devices, expect: names.map(Self.count))
    var reached: Set<UInt32> = []
    var heard = [String: Int]()
    for _ in 0..<80 {
      let device = UInt32(dice.below(8))
      let (key, app) = (dice.below(3), dice.below(2))
      let hears = devices?.contains(device) ?? (keys == nil && topics == nil || reached.contains(device))
      let bundle = app == 0 ? SessionStage.app : SessionStage.other
      switch dice.below(5) {
      case 0 where (try? stage.order(.goOffline, on: device)) != nil: heard["wentOffline", default: 0] += hears ? 1 : 0
      case 1 where (try? stage.order(.goOnline, on: device)) != nil: heard["wentOnline", default: 0] += hears ? 1 : 0
      case 2 where (try? stage.order(.open(app: bundle), on: device)) != nil:
        // An app's session needs no push to hear of its app, unless it is told by keys besides.
        let hearsApp = topics.map { $0.contains(bundle) && (keys == nil || hears) } ?? hears
        heard["appForegrounded", default: 0] += hearsApp && (devices?.contains(device) ?? true) ? 1 : 0
      default:
        try stage.push(device, key: key, app: app)
        if Self.owns(kind, key: key, app: app, device: device) { reached.insert(device) }
      }
    }
    let closed = try stage.close(name)
    for (verdict, event) in zip(closed.verdicts, names) {
      let count = heard[event] ?? 0
      #expect(verdict.passed == (count == 0), "seed \(seed), \(name): \(event) \(count) times, \(verdict.found)")
      #expect(
        verdict.found == "\(count)", "seed \(seed), \(name): \(verdict.found)")
    }
  }
}
