import APNs
import Devices
import Scenarios
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("Broadcasts in a session")
struct SessionBroadcastTests {
  private static let manager = ProviderConnectionID(90)

  private static func question(
    arrivals: Bool, _ range: ClosedRange<Int>, _ change: (inout Filter) -> Void = { _ in }
  ) -> Simulation.Expectation {
    var filter = Filter()
    change(&filter)
    return Simulation.Expectation(
      name: arrivals ? "arrivals" : "broadcasts", place: "expect",
      question: .broadcasts(BroadcastQuestion(filter, .count(range), isAboutArrivals: arrivals)))
  }

  /// A channel of the first app, with an activity that subscribes to it on each of the phones.
  private func stage(_ phones: Range<UInt32>) throws -> (SessionStage, channel: String) {
    var stage = SessionStage()
    stage.simulator.world.connectionOpened(
      Self.manager, to: .sandbox, peer: "m", managesChannels: true, at: stage.now)
    let fields = [(name: "authorization", value: SessionStage.authorization(key: SessionStage.keys[0]))]
    stage.simulator.world.receive(
      HTTPRequest(
        "POST", "/1/apps/\(SessionStage.app)/channels", fields: fields,
        body: Array(#"{"message-storage-policy":1,"push-type":"LiveActivity"}"#.utf8)), on: StreamID(Self.manager, 1),
      at: stage.now)
    stage.settle()
    let answers = stage.latest.compactMap { $0.answer(on: Self.manager)?.response }
    let channel = try #require(answers.last?.fields["apns-channel-id"])
    for phone in phones {
      var request = StartActivity(app: SessionStage.app)
      request.order.updates = .channel(channel)
      try stage.order(.open(app: SessionStage.app), on: phone)
      try stage.order(.start(request), on: phone)
    }
    return (stage, channel)
  }

  private func publish(_ stage: inout SessionStage, _ channel: String, key: Int, stream: Int32) {
    let fields: [(name: String, value: String)] = [
      (name: "authorization", value: SessionStage.authorization(key: SessionStage.keys[key])),
      ("apns-channel-id", channel), ("apns-push-type", "liveactivity"), ("apns-priority", "10"),
      ("apns-expiration", "\(stage.now.world.seconds + 3600)"),
    ]
    let body = #"{"aps":{"timestamp":\#(stage.now.world.seconds + 1),"event":"update","content-state":{"score":1}}}"#
    stage.simulator.world.receive(
      HTTPRequest("POST", "/4/broadcasts/apps/\(SessionStage.app)", fields: fields, body: Array(body.utf8)),
      on: StreamID(SessionStage.connection(key), 10_001 + stream), at: stage.now)
    stage.settle()
  }

  @Test("a session reads the broadcasts with its key and app, and the arrivals on the devices that it names")
  func scopes() throws {
    var (stage, channel) = try stage(0..<4)
    let kinds: [(name: String, keys: [Int]?, topics: [String]?, devices: [UInt32]?, heard: Int, arrived: Int)] = [
      ("phone", [0], nil, [0], 1, 1), ("two phones", [0], [SessionStage.app], [1, 2, 9], 1, 2),
      ("another key", [1], nil, nil, 0, 0), ("another app", [0], [SessionStage.other], [5], 0, 0),
    ]
    for kind in kinds {
      try stage.open(
        kind.name, keys: kind.keys, topics: kind.topics, devices: kind.devices,
        expect: [
          Self.question(arrivals: false, kind.heard...kind.heard),
          Self.question(arrivals: true, kind.arrived...kind.arrived),
        ])
    }
    publish(&stage, channel, key: 0, stream: 0)
    for kind in kinds {
      let closed = try stage.close(kind.name)
      #expect(closed.verdicts.map(\.found) == ["\(kind.heard)", "\(kind.arrived)"], "\(kind.name)")
      #expect(closed.passed == true, "\(kind.name)")
    }
  }

  @Test("a session names a broadcast by the channel's id, and counts an arrival on an offline phone by its last fate")
  func stored() throws {
    var (stage, channel) = try stage(0..<1)
    try stage.order(.goOffline, on: 0)
    try stage.open(
      "a", devices: [0],
      expect: [
        Self.question(arrivals: true, 1...1) {
          $0.channel = channel
          $0.fate = "Delivered to Device (From Storage)"
        }, Self.question(arrivals: true, 0...0) { $0.fate = "Stored - Device Offline" },
      ])
    publish(&stage, channel, key: 0, stream: 0)
    try stage.order(.goOnline, on: 0)
    #expect(try stage.close("a").passed == true)
  }

  @Test("a session does not read the broadcasts of a closed session whose index it reuses")
  func places() throws {
    var (stage, channel) = try stage(0..<1)
    try stage.order(.goOffline, on: 0)
    try stage.open("a", devices: [0])
    publish(&stage, channel, key: 0, stream: 0)
    _ = try stage.close("a")
    try stage.open("b", devices: [0], expect: [Self.question(arrivals: true, 0...0)])
    try stage.order(.goOnline, on: 0)
    #expect(try stage.close("b").passed == true)
  }
}
