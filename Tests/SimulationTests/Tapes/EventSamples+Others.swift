import Timeline
import WireFormats

@testable import APNs
@testable import Devices
@testable import Orders
@testable import Reporting
@testable import Scenarios
@testable import Simulation

/// Events that happen to connections, channels, listeners and calls.
extension EventSamples {
  private static let one = ProviderConnectionID(1)
  private static let two = ProviderConnectionID(2)

  static var connections: [Group] {
    [
      [
        .connectionOpened(one, .sandbox, peer: "p"), .connectionOpened(two, .sandbox, peer: "p"),
        .connectionOpened(one, .production, peer: "p"), .connectionOpened(one, .sandbox, peer: "q"),
      ], [.connectionClosed(one), .connectionClosed(two)], [.streamsAllowed(one), .streamsAllowed(two)],
      [
        .connectionStruck("f", one, at: at), .connectionStruck("g", one, at: at), .connectionStruck("f", two, at: at),
        .connectionStruck("f", one, at: later),
      ], [.wire(one, .close), .wire(two, .close)],
    ]
  }

  static var plain: [Group] {
    let (one, two) = (DeviceID(1), DeviceID(2))
    func trouble(_ at: Instant = at, _ kind: String = "k", _ peer: String = "p", _ sentence: String = "s") -> WorldEvent
    {
      .trouble(ClientTrouble(at: at, kind: kind, peer: peer, sentence: sentence))
    }
    let listeners: [ListenerFault?] = [
      nil, .refuse, .failHandshake, .hang, .slowHandshake(.seconds(1)), .certificate(.expired),
    ]
    let certificates = ListenerFault.CertificateFault.allCases.map {
      WorldEvent.listener(.certificate($0), .sandbox)
    }
    return [
      [trouble(), trouble(later), trouble(at, "l"), trouble(at, "k", "q"), trouble(at, "k", "p", "t")],
      [
        .faultStruck("f", one, at: at), .faultStruck("g", one, at: at), .faultStruck("f", two, at: at),
        .faultStruck("f", one, at: later),
      ],
      [
        .pushSettled(number: 1, one, .refused, at: at), .pushSettled(number: 2, one, .refused, at: at),
        .pushSettled(number: 1, two, .refused, at: at), .pushSettled(number: 1, one, .refused, at: later),
      ],
      [
        .broadcastReached(1, one, .refused, at: at), .broadcastReached(2, one, .refused, at: at),
        .broadcastReached(1, two, .refused, at: at), .broadcastReached(1, one, .refused, at: later),
      ],
      [
        .answerSent(push: 1, .reset(code: 7), at: at), .answerSent(push: 2, .reset(code: 7), at: at),
        .answerSent(push: 1, .reset(code: 7), at: later),
      ],
      [
        .phone(one, app: 0, .locked, at: at), .phone(two, app: 0, .locked, at: at),
        .phone(one, app: 1, .locked, at: at),
        .phone(one, app: nil, .locked, at: at), .phone(one, app: 0, .locked, at: later),
      ], listeners.map { .listener($0, .sandbox) }, certificates,
      [.listener(.slowHandshake(.seconds(1)), .sandbox), .listener(.slowHandshake(.seconds(2)), .sandbox)],
      [.listener(.hang, .sandbox), .listener(.hang, .production), .listener(.hang, nil)],
    ]
  }

  static var orders: [[WireCommand]] {
    func response(_ status: Int = 200, _ value: String = "v", _ body: [UInt8] = [1]) -> HTTPResponse {
      HTTPResponse(status: status, fields: HTTPFields([("n", value)]), body: body)
    }
    let responses = [response(), response(201), response(200, "w"), response(200, "v", [2]), response(200, "v", [])]
    func pieces(_ sizes: [Int] = [1], _ end: FaultBodySplit.End = .last, _ pause: Duration? = .seconds(1))
      -> WireCommand
    {
      .respondInPieces(stream: 1, response(), FaultBodySplit(sizes: sizes, end: end, pause: pause))
    }
    func goAway(
      _ last: Int32? = 1, code: UInt32 = 0, debug: [UInt8] = [1], closes: Bool = true
    ) -> WireCommand { .goAway(lastStream: last, code: code, debug: debug, closes: closes) }
    let excess = ExcessStreamGoAway(code: 7, debug: [1])
    return [
      responses.map { .respond(stream: 1, $0) }, [.respond(stream: 1, response()), .respond(stream: 3, response())],
      responses.map { .respondInPieces(stream: 1, $0, FaultBodySplit(sizes: [1])) },
      [
        pieces(), pieces([2]), pieces([1, 1]), pieces([1], .never), pieces([1], .last, nil),
        pieces([1], .last, .seconds(2)),
        .respondInPieces(stream: 3, response(), FaultBodySplit(sizes: [1], pause: .seconds(1))),
      ], [.reset(stream: 1, code: 7), .reset(stream: 3, code: 7), .reset(stream: 1, code: 8)],
      [goAway(), goAway(nil), goAway(3), goAway(code: 1), goAway(debug: [2]), goAway(closes: false)],
      [
        .streams(1, open: .refuse, excessStreams: excess), .streams(2, open: .refuse, excessStreams: excess),
        .streams(1, open: .finish, excessStreams: excess), .streams(1, open: .refuse, excessStreams: nil),
        .streams(1, open: .refuse, excessStreams: ExcessStreamGoAway(code: 8, debug: [1])),
        .streams(1, open: .refuse, excessStreams: ExcessStreamGoAway(code: 7, debug: [2])),
      ], [.window(1, withheld: true), .window(2, withheld: true), .window(1, withheld: false)],
      [.freeze(answersPings: true), .freeze(answersPings: false)],
      [.readSlowly(bytesPerSecond: 1), .readSlowly(bytesPerSecond: 2), .readSlowly(bytesPerSecond: nil)],
      [.halfClose(sendsCloseNotify: true), .halfClose(sendsCloseNotify: false)], [.restoreStreamLimit, .thaw, .abort],
    ]
  }

  // MARK: - Channels

  struct Request {
    var number: UInt64 = 1
    var now = Now(at)
    var stream = StreamID(ProviderConnectionID(1), 1)
    var home = ChannelOwner(.sandbox, "a")
    var operation: ChannelOperation? = .read
    var channelID: ChannelID?
    var requestID = NotificationID(bits: (1, 2))
    var uniqueID: NotificationID? = NotificationID(bits: (3, 4))
    var fault: String? = "f"
    var sent: SentAnswer? = .reset(code: 7)
    var outcome = ChannelAnswer.Outcome.published
    var keyNumber: Int? = 0
    var subscribers = 0
  }

  private static func request(_ change: (inout Request) -> Void = { _ in }) -> WorldEvent {
    var made = Request()
    made.channelID = ChannelID(Chance(seed: 1), count: 1)
    change(&made)
    return .channels(
      ChannelRecord(
        number: made.number, at: made.now, stream: made.stream, home: made.home, operation: made.operation,
        channelID: made.channelID, request: HTTPRequest("GET", "/", body: []),
        answer: ChannelAnswer(requestID: made.requestID, uniqueID: made.uniqueID, outcome: made.outcome),
        keyNumber: made.keyNumber, subscribers: made.subscribers, fault: made.fault, sent: made.sent))
  }

  static func channels() -> [Group] {
    let ids = (0..<2).map { ChannelID(Chance(seed: 2), count: $0) }
    let rejections = [
      ChannelRejection(.badChannelID, by: .channel(.channelIssued)),
      ChannelRejection(.missingChannelID, by: .channel(.channelIssued)), ChannelRejection(.badChannelID, by: nil),
    ]
    func outcomes(_ list: [ChannelAnswer.Outcome]) -> Group { list.map { outcome in request { $0.outcome = outcome } } }
    return [
      [
        request(), request { $0.number = 2 }, request { $0.now = Now(world: later, wall: at) },
        request { $0.now = Now(world: at, wall: later) }, request { $0.stream = StreamID(two, 1) },
        request { $0.uniqueID = NotificationID(bits: (3, 5)) }, request { $0.uniqueID = nil },
        request { $0.fault = "g" }, request { $0.fault = nil }, request { $0.sent = .reset(code: 8) },
        request { $0.sent = nil }, request { $0.stream = StreamID(one, 3) },
        request { $0.home = ChannelOwner(.production, "a") },
        request { $0.home = ChannelOwner(.sandbox, "b") }, request { $0.operation = .delete },
        request { $0.operation = nil }, request { $0.channelID = ids[0] }, request { $0.channelID = nil },
        request { $0.requestID = NotificationID(bits: (9, 2)) }, request { $0.keyNumber = 1 },
        request { $0.keyNumber = nil }, request { $0.subscribers = 1 },
      ], outcomes(ids.map { .created($0) }), outcomes(StoragePolicy.allCases.map { .described($0) }),
      outcomes([.listed(ids), .listed([ids[0], ids[0]]), .listed([ids[1], ids[1]])]),
      outcomes(rejections.map { .refused($0) }), outcomes([.published, .deleted]),
      outcomes([
        .refused(ChannelRejection(.badChannelID, by: .provider(.providerTokenFresh))),
        .refused(ChannelRejection(.badChannelID, by: .provider(.providerTokenPresent))),
      ]),
      outcomes([
        .refused(ChannelRejection(.badChannelID, by: .channel(.channelIssued))),
        .refused(ChannelRejection(.badChannelID, by: .channel(.channelWellFormed))),
      ]),
    ]
  }

  // MARK: - Calls

  static func call(
    _ event: String = "launch", _ method: String = "POST", _ url: String = "http://h/", body: String? = "b",
    headers: [(String, String)] = [("n", "v")], timeout: Duration = .seconds(1)
  ) throws -> OutgoingCall {
    var request = RequestTemplate(method: method, url: try Template(url))
    if let body { request.body = .text(try Template(body)) }
    request.headers = try headers.map { RequestTemplate.Field($0.0, try Template($0.1)) }
    request.timeout = timeout
    return try OutgoingCall(
      request, at: try ReportEvent(event), scope: TemplateScope(), plan: ReportPlan(), followed: nil)
  }

  private static func open(_ call: OutgoingCall, device: UInt32 = 1, app: Int = 0, since: Instant = at)
    -> OpenCalls.Call
  {
    OpenCalls.Call(
      device: DeviceID(device), app: app, call: call, since: since, losesAnswer: false, isDoubled: false)
  }

  static func calls() throws -> [Group] {
    let usual = try call()
    func made(_ open: OpenCalls.Call, number: UInt64 = 1, at now: Instant = at, isCopy: Bool = false) -> WorldEvent {
      .call(CallRecord(number: number, open, at: now, isCopy: isCopy))
    }
    return [
      [
        made(open(usual)), made(open(usual), number: 2), made(open(usual), at: later), made(open(usual), isCopy: true),
        made(open(usual, device: 2)), made(open(usual, app: 1)), made(open(try call("foreground"))),
        made(open(try call("launch", "PUT"))), made(open(try call("launch", "POST", "http://i/"))),
        made(open(try call(body: nil))), made(open(try call(body: "c"))), made(open(try call(timeout: .seconds(2)))),
        made(open(try call(headers: [("m", "v")]))), made(open(try call(headers: [("n", "w")]))),
      ]
    ]
  }

  static func ends() throws -> [Group] {
    let usual = try call()
    func end(
      _ open: OpenCalls.Call, number: UInt64 = 1, _ outcome: CallOutcome = .answered(status: 200, body: ["a": 1]),
      at now: Instant = later
    ) -> WorldEvent { .callEnded(CallEnd(open, number: number, outcome, at: now)) }
    let missing = WorldEvent.callEnded(
      CallEnd(
        number: 1, AppContext(app: 0, device: DeviceID(1), now: at), event: "launch",
        RequestTemplate(method: "POST", url: try Template("http://h/")), missing: try TemplateReference("device.id")))
    let failed: [CallOutcome] = [.failed(.offline, "a"), .failed(.lost, "a"), .failed(.offline, "b")]
    return [
      [
        end(open(usual)), end(open(usual), number: 2), end(open(usual, device: 2)), end(open(usual, app: 1)),
        end(open(usual, since: later)), end(open(usual), at: at), end(open(try call("foreground"))),
        end(open(try call("launch", "PUT"))), end(open(try call("launch", "POST", "http://i/"))),
        end(open(try call(body: nil))), end(open(try call(body: "c"))),
        end(open(usual), .answered(status: 201, body: ["a": 1])),
        end(open(usual), .answered(status: 200, body: ["a": 2])),
        end(open(usual), .answered(status: 200, body: nil)),
      ], failed.map { end(open(usual), $0) }, [missing],
    ]
  }
}
