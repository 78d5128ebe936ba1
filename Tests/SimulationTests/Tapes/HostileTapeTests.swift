import APNs
import Devices
import Orders
import Reporting
import Simulation
import Testing
import Timeline
import WireFormats

@Suite("A tape with valid checksums, written by another program,")
struct HostileTapeTests {
  private static func read(_ commands: [Command]) throws -> (records: [[TapeCall]], ending: Reel.Ending) {
    let calls = commands.map { RecordedCall(.performed($0), at: Now(Stage.began), firstEvent: 0) }
    let read = try Reel([TapeBatch(calls: calls, events: [])]).read
    return (read.records, read.ending)
  }

  private static func fault(_ change: (inout Fault) -> Void) -> Fault {
    var fault = Fault("f", .push(.silence))
    change(&fault)
    return fault
  }

  private static func goAway(_ before: Int) -> ConnectionFault {
    var goAway = FaultGoAway()
    goAway.before = before
    return .goAway(goAway)
  }

  private static func refuse(age: Duration) -> PushFault { .refuse(.unregistered, retryAfter: nil, age: age) }

  private static func pieces(_ sizes: [Int], pause: Duration? = nil) -> PushFault {
    .malformed(status: 400, body: [], pieces: FaultBodySplit(sizes: sizes, pause: pause))
  }

  private static let never = Duration.zero - .nanoseconds(1)
  private static let longest = DurationText.longest
  private static let tooLong = DurationText.longest + .nanoseconds(1)

  /// Each sound but for one thing that the admin API would not take.
  private static let connections: [ConnectionFault] = [
    goAway(-2), goAway(1001), goAway(.max), goAway(.min),
    .streams(-1, open: .refuse, excessStreams: nil, back: nil, after: .zero),
    .streams(.max, open: .refuse, excessStreams: nil, back: nil, after: .zero),
    .streams(1, open: .refuse, excessStreams: nil, back: -1, after: .zero),
    .streams(1, open: .refuse, excessStreams: nil, back: .max, after: .zero),
    .streams(1, open: .refuse, excessStreams: nil, back: 2, after: never),
    .window(.max, withheld: false, back: nil, after: .zero),
    .window(-1, withheld: false, back: nil, after: .zero), .window(1, withheld: false, back: .max, after: .zero),
    .window(1, withheld: false, back: 1, after: tooLong), .readsSlowly(bytesPerSecond: 0),
    .readsSlowly(bytesPerSecond: .max), .skew(tooLong), .skew(.zero - tooLong),
  ]

  private static let pushes: [PushFault] = [
    .delay(.between(never...(.zero))), .delay(.between(.zero...tooLong)),
    .delay(.lognormal(median: never, p99: .seconds(1))),
    .delay(.lognormal(median: .nanoseconds(Int64.min), p99: .nanoseconds(Int64.max))),
    .delay(.lognormal(median: .seconds(1), p99: never)),
    .delay(.lognormal(median: .seconds(1), p99: .nanoseconds(Int64.max))),
    refuse(age: .nanoseconds(Int64.min)), refuse(age: .nanoseconds(Int64.max)),
    .refuse(.tooManyRequests, retryAfter: -1, age: nil), .malformed(status: 199, body: []),
    .malformed(status: 600, body: []), .malformed(status: .min, body: []), pieces([]), pieces([0]), pieces([.max]),
    pieces(Array(repeating: 1, count: 101)), pieces([1], pause: never),
  ]

  private static let others: [Fault.Consequence] = [
    .prompts(PromptFault(after: tooLong)), .listener(.slowHandshake(never)),
    .reports(.delay(.between(never...(.zero)))), .reports(.clock(tooLong)),
    .devices(.updateSystem(OSVersion(.max, 0)), heal: nil), .devices(.updateSystem(OSVersion(26, -1)), heal: nil),
  ]

  private static let conditions: [Fault] = [
    Fault("", .push(.silence)), fault { $0.condition.filter.os = OSPattern(-1) },
    fault { $0.condition.trigger = .idle(never) },
    fault { $0.condition.trigger = .idle(tooLong) },
  ]

  private static func faults(
    _ connections: [ConnectionFault], _ pushes: [PushFault], _ others: [Fault.Consequence]
  ) -> [Fault] {
    let all = connections.map { Fault.Consequence.connection($0) } + pushes.map { .push($0) } + others
    return all.map { Fault("f", $0) }
  }

  private static let unsound = faults(connections, pushes, others) + conditions

  /// The end of a tape whose calls are at these seconds after the world's beginning.
  private static func ending(_ calls: [(second: Int64, call: WorldCall)]) throws -> Reel.Ending {
    let batches = calls.map { second, call in
      TapeBatch(
        calls: [RecordedCall(call, at: Now(Stage.began.advanced(by: .seconds(second))), firstEvent: 0)], events: [])
    }
    return try Reel(batches).read.ending
  }

  @Test(
    "a tape is rejected if a call is earlier than the one before it, or than the beginning of the world",
    arguments: [([-1], false), ([0, 5, 4], false), ([0, 5, 5, 6], true)] as [([Int64], Bool)])
  func times(_ seconds: [Int64], isSound: Bool) throws {
    let flaw = Reel.Ending.unreadable(.invalid("a time before that of an earlier call"))
    #expect(try Self.ending(seconds.map { ($0, .stepped(1)) }) == (isSound ? .whole : flaw))
  }

  @Test("a tape may start a world over at a time before the last call, or before the first world")
  func anew() throws {
    let anew = WorldCall.performed(.beginAnew)
    #expect(try Self.ending([(5, .stepped(1)), (-9, anew), (-8, .stepped(1)), (3, .stepped(1))]) == .whole)
    let flaw = Reel.Ending.unreadable(.invalid("a time before that of an earlier call"))
    #expect(try Self.ending([(5, .stepped(1)), (-9, anew), (-10, .stepped(1))]) == flaw)
  }

  @Test("a tape is rejected if a fault has values that the admin API rejects", arguments: unsound.indices)
  func refused(_ index: Int) throws {
    guard case .unreadable(.invalid(let what)) = try Self.read([.setFault(Self.unsound[index])]).ending else {
      Issue.record("\(Self.unsound[index]) was taken")
      return
    }
    #expect(!what.isEmpty)
  }

  /// Orders of equal length in place of `{"deleteFault":"f"}`.
  private static let texts: [(text: String, why: String)] = [
    (#"{"deleteFolly":"f"}"#, "deleteFolly"), (#"{"deleteFault":77}"#, "deleteFault"),
    (#"["deleteFault","f"]"#, "object"), (#"{"deleteFault":"f"#, "JSON"), (#"{"deleteFaults":7}"#, "all and session"),
    // Words of an earlier version.
    (#"{"removeFault":"f"}"#, "did you mean deleteFault?"), (#"{"heal":"all"}"#, "did you mean deleteFault?"),
  ]

  @Test("a tape is rejected if an order is not JSON, or is unknown", arguments: texts)
  func refusedTexts(_ text: String, _ why: String) throws {
    let sound = #"{"deleteFault":"f"}"#
    let calls = [RecordedCall(.performed(.deleteFault("f")), at: Now(Stage.began), firstEvent: 0)]
    let reel = try Reel([TapeBatch(calls: calls, events: [])]).mapping { payload in
      payload.replacing(Array(sound.utf8), with: Array(text.padding(sound.utf8.count).utf8))
    }
    guard case .unreadable(.invalid(let what)) = reel.read.ending else {
      Issue.record("\(text) was taken: \(reel.read.ending)")
      return
    }
    #expect(what.contains(why))
  }

  private static func selection(_ change: (inout Selection) -> Void) -> Command {
    var selection = Selection()
    change(&selection)
    return .devices(selection, .reboot)
  }

  private static let unsoundOrders: [Command] = [
    .device(DeviceID(0), .updateSystem(OSVersion(100, 0))), .device(DeviceID(0), .updateSystem(OSVersion(0, 0))),
    .device(DeviceID(0), .updateActivity(nil, app: nil, update(.nan))),
    .device(DeviceID(0), .updateActivity(nil, app: nil, update(.infinity))),
    selection { $0.filter.os = OSPattern(.max) }, selection { $0.filter.os = OSPattern(26, .min) },
    selection { $0.filter.devices = Array(repeating: DeviceID(0), count: Selection.mostChanged + 1) },
  ]

  private static func update(_ timestamp: Double) -> ActivityUpdateRequest {
    var order = ActivityUpdateRequest(content: [:])
    order.timestamp = timestamp
    return order
  }

  @Test("a tape is rejected if an order has values that the admin API rejects", arguments: unsoundOrders.indices)
  func refusedOrders(_ index: Int) throws {
    guard case .unreadable(.invalid) = try Self.read([Self.unsoundOrders[index]]).ending else {
      Issue.record("\(Self.unsoundOrders[index]) was taken")
      return
    }
  }

  /// The outermost of what may be said.
  private static let extremes: [Fault] =
    faults(
      [
        goAway(-1), goAway(1000), .streams(0, open: .refuse, excessStreams: nil, back: 0, after: .zero),
        .streams(1_000_000, open: .refuse, excessStreams: nil, back: Int(Int32.max), after: longest),
        .window(Int(Int32.max), withheld: true, back: 0, after: longest), .readsSlowly(bytesPerSecond: 1_000_000_000),
        .skew(longest), .skew(.zero - longest),
      ],
      [
        .delay(.between(.zero...longest)), .delay(.lognormal(median: .zero, p99: longest)),
        .delay(.lognormal(median: longest, p99: .zero)), .refuse(.unregistered, retryAfter: .max, age: longest),
        .malformed(status: 599, body: [0], pieces: FaultBodySplit(sizes: [100_000], pause: longest)),
      ], [.prompts(PromptFault(after: longest)), .reports(.clock(.zero - longest))])
    + [
      fault { $0.limit = UInt64(Int32.max) }, fault { $0.condition.skip = UInt64(Int32.max) },
      fault { $0.condition.every = UInt64(Int32.max) }, fault { $0.from = .distantPast },
      fault { $0.until = .distantFuture }, fault { $0.until = .distantPast }, fault { $0.from = .distantFuture },
    ]

  @Test("a tape with the largest valid values is played, with two pushes that match them", arguments: extremes.indices)
  func played(_ index: Int) throws {
    let fault = Self.extremes[index]
    let read = try Self.read([.setFault(fault)])
    #expect(read.ending == .whole)
    guard case .performed(let command)? = read.records.first?.first?.call else {
      Issue.record("\(fault) was not read")
      return
    }
    var stage = Stage()
    try stage.world.perform(command, at: stage.now)
    for _ in 0..<2 { _ = try? stage.push(stage.token()) }
    stage.advance(by: .seconds(86_400))
    _ = stage.events()
    try stage.world.perform(.deleteFault("f"), at: stage.now)
  }

  @Test("every fault that code can create applies without an arithmetic trap")
  func safeArithmetic() throws {
    for fault in Self.unsound where fault.condition.every > 0 {
      let then = fault.consequence.json
      guard ["delay", "goAway", "skew"].contains(where: { then[$0] != nil }) else { continue }
      var stage = Stage()
      try stage.world.perform(.setFault(fault), at: stage.now)
      for _ in 0..<3 { _ = try? stage.push(stage.token()) }
      _ = stage.events()
    }
  }
}

extension String {
  /// With spaces behind it, up to a length in bytes.
  fileprivate func padding(_ count: Int) -> String { self + String(repeating: " ", count: max(0, count - utf8.count)) }
}
