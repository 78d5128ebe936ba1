import APNs
import Devices
import Simulation
import Testing
import Timeline

/// Who is where in the Dynamic Island and on the Lock Screen.
@Suite("The Dynamic Island")
struct IslandTests {
  private static let names = ["com.a", "com.b", "com.c"]

  private func stage(island: Bool = true, _ shared: DevicePolicy.SharedIsland = .minimals) -> Stage {
    var mix = PhoneMix.ideal
    mix.island = island ? .always : .never
    var policy = Stage.quick
    policy.sharedIsland = shared
    let apps = Self.names.map { AppProfile(bundleID: $0, teamID: Stage.team, attributesTypes: ["M"]) }
    return Stage(apps: apps, phones: mix, policy: policy)
  }

  private func begin(_ stage: inout Stage, _ app: Int, _ relevance: Double = 0) throws {
    var request = StartActivity(app: Self.names[app])
    request.order.relevance = relevance
    try stage.order(.start(request))
    stage.advance(by: .seconds(1))
  }

  /// The island in a word and its activities.
  private func island(_ stage: Stage) -> String {
    func name(_ card: Screen.Card) -> String { "\(card.bundleID.suffix(1))\(card.number)" }
    return switch stage.screen().island {
    case .absent: "absent"
    case .empty: "empty"
    case .compact(let card): "compact \(name(card))"
    case .minimal(let cards): "minimal \(cards.map(name).joined(separator: " "))"
    case .mixed(let first, let second): "compact \(name(first)), minimal \(name(second))"
    case .expanded(let card): "expanded \(name(card))"
    }
  }

  private func cards(_ stage: Stage) -> [String] {
    stage.screen().cards.map { "\($0.bundleID.suffix(1))\($0.number)" }
  }

  @Test("S126: one app is compact, several compete as minimals, and all cards are on the Lock Screen")
  func apps() throws {
    var stage = stage()
    #expect(island(stage) == "empty")
    try begin(&stage, 0)
    try begin(&stage, 0)
    #expect(island(stage) == "compact a0")
    try begin(&stage, 1)
    #expect(island(stage) == "minimal a0 b0")
    try begin(&stage, 2)
    #expect(island(stage) == "minimal a0 b0" && cards(stage).count == 4)
  }

  @Test("S127: with another setting, one of two apps is compact and one minimal")
  func mixed() throws {
    var stage = stage(.minimalAndCompact)
    try begin(&stage, 0)
    #expect(island(stage) == "compact a0")
    try begin(&stage, 1)
    #expect(island(stage) == "compact a0, minimal b0")
  }

  @Test("S128: a phone without an island shows the cards and no island")
  func without() throws {
    var stage = stage(island: false)
    try begin(&stage, 0)
    try begin(&stage, 1)
    #expect(island(stage) == "absent" && cards(stage) == ["a0", "b0"])
  }

  @Test("S123: of one app the most relevant has the island and the top; among equals the one that began first")
  func relevance() throws {
    var stage = stage()
    for score in [50.0, 100, 100] { try begin(&stage, 0, score) }
    #expect(island(stage) == "compact a1" && cards(stage) == ["a1", "a2", "a0"])
  }

  @Test("S124: an update with another relevance changes the order, and the island with it")
  func reorder() throws {
    var stage = Stage()
    try stage.launch(#","relevance-score":50"#)
    try stage.launch(#","relevance-score":10"#)
    stage.advance(by: .seconds(10))
    func numbers() -> [UInt32] { stage.screen().cards.map(\.number) }
    #expect(numbers() == [0, 1])
    try stage.update(1, #","relevance-score":99.5"#, activity: 1)
    #expect(numbers() == [1, 0])
    guard case .compact(let card) = stage.screen().island else {
      Issue.record("\(stage.screen().island)")
      return
    }
    #expect(card.number == 1)
    // Absent counts as the least.
    try stage.update(2, activity: 1)
    #expect(numbers() == [0, 1])
  }

  @Test("the activities of the app in the foreground are not in the island")
  func foreground() throws {
    var stage = stage()
    try begin(&stage, 0)
    try begin(&stage, 1)
    try stage.order(.open(app: "com.a"))
    #expect(island(stage) == "compact b0" && cards(stage) == ["a0", "b0"])
    try stage.order(.leave(app: "com.a"))
    #expect(island(stage) == "minimal a0 b0")
  }

  @Test("S132: an ended activity leaves the island at once and stays on the Lock Screen")
  func ended() throws {
    var stage = stage()
    try begin(&stage, 0)
    try begin(&stage, 1)
    try stage.order(.endActivity(nil, app: "com.a"))
    #expect(island(stage) == "compact b0" && cards(stage) == ["a0", "b0"])
  }
}
