import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// The content state on its way from the payload to the card and the app.
@Suite("Content on the screen")
struct ContentOnScreenTests {
  private static let nested = """
    {"innings":[{"team":"IND","score":{"runs":184,"wickets":4,"overs":19.3},"batters":[{"name":"Kohli","out":false},\
    {"name":"Ø \\"Jr\\" é 🏏","out":true,"how":null}]},{}],"z":[],"a":{"b":{"c":{"d":[[1,[2]],-0.5,1e-7]}}},\
    "snake_case":"x","Empty":"","big":9007199254740993}
    """

  @Test("S96: nested content is shown as it was sent: keys, order, types and characters")
  func asSent() throws {
    var stage = Stage()
    try stage.launch()
    #expect(try stage.pushActivity("update", spoilt: ["content-state": Self.nested]).fate.updates(0))
    let sent = try JSONValue.parse(Array(Self.nested.utf8))
    #expect(stage.cards().first?.content == sent && stage.cards().first?.content?.text == sent.text)
    #expect(stage.cards().first?.content?["big"] == .integer(9_007_199_254_740_993))
    // An end without content leaves it as it is.
    try stage.finish()
    #expect(stage.cards().first?.state == .ended && stage.cards().first?.content == sent)
  }

  @Test("S96: decoding removes nothing: keys that are unknown to the Swift type are kept")
  func decoded() throws {
    let type = AttributesType("MatchAttributes", contentState: .object([.init("score", .int)]))
    var stage = Stage(apps: [AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])])
    try stage.launch()
    #expect(try stage.pushActivity("update", spoilt: ["content-state": #"{"x":[1],"score":5.0}"#]).fate.updates(0))
    #expect(stage.cards().first?.content?.text == #"{"x":[1],"score":5.0}"#)
  }

  @Test("S96: an update replaces the content, it does not merge with it")
  func replaced() throws {
    var stage = Stage()
    try stage.launch()
    try stage.pushActivity("update", spoilt: ["content-state": #"{"a":1,"b":{"c":2}}"#])
    try stage.pushActivity("update", spoilt: ["content-state": #"{"b":{}}"#])
    #expect(stage.cards().first?.content == ["b": [:]])
  }

  @Test(
    "S102: images that are not in the App Group are placeholders; too large ones keep the card away",
    arguments: AttributesType.Images.allCases)
  func images(_ images: AttributesType.Images) throws {
    var type = AttributesType("MatchAttributes")
    type.images = images
    var stage = Stage(apps: [AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])])
    let record = try stage.launch()
    #expect(record.status == 200)
    let causes = try stage.story(of: record).compactMap(\.cause)
    switch images {
    case .ready: #expect(stage.cards().map(\.hasPlaceholders) == [false] && causes == ["alerted"])
    case .missing: #expect(stage.cards().map(\.hasPlaceholders) == [true] && causes.contains("images-missing"))
    case .tooLarge: #expect(stage.cards().isEmpty && causes == ["render-failed"])
    }
    guard images == .missing else { return }
    // No push brings them: the widget has no network.
    try stage.update(1)
    #expect(stage.cards().map(\.hasPlaceholders) == [true] && stage.score() == 1)
  }

  @Test("S104: contentUpdates yields once for what is applied, and not for what is dropped")
  func observed() throws {
    var stage = Stage(rulebook: Stage.unhurried)
    try stage.launch()
    try stage.enter(.foreground)
    for score in 1...3 {
      try stage.update(score)
      #expect(stage.yields() == [.contentYielded(0)])
    }
    for (key, value) in [("timestamp", "1"), ("content-state", "7"), ("event", #""begin""#)] {
      try stage.pushActivity("update", spoilt: [key: value])
      #expect(stage.yields() == [], "\(key)")
    }
    try stage.order(.updateActivity(nil, app: nil, ActivityUpdateRequest(content: ["score": 4])))
    #expect(stage.yields() == [.contentYielded(0)] && stage.score() == 4, "its own updates as well")
  }

  @Test("S104: a held update is yielded when it is applied, a coalesced one never")
  func held() throws {
    var stage = Stage()
    try stage.launch()
    try stage.enter(.foreground)
    try stage.order(.leave(app: nil))
    try stage.order(.darkenScreen)
    _ = stage.events()
    for score in 1...3 { try stage.update(score, priority: 5) }
    #expect(stage.yields() == [])
    try stage.order(.lightScreen)
    #expect(stage.yields() == [.contentYielded(0)] && stage.score() == 3)
  }

  @Test("S104: updates applied while the app slept are not yielded later, but the app finds their content")
  func asleep() throws {
    var stage = Stage()
    try stage.launch()
    stage.advance(by: .seconds(31))
    try stage.enter(.terminated)
    try stage.update(5)
    #expect(stage.happened() == [])
    try stage.order(.open(app: nil))
    let yields = stage.yields()
    #expect(yields.contains(.activityYielded(0)) && !yields.contains(.contentYielded(0)) && stage.score() == 5)
  }
}
