import Timeline
import WireFormats

/// The kinds of trouble that are drawn. A right backend can recover from each of them in the quiet time, without help.
///
/// Nothing is drawn that APNs would not do to a right backend, such as a 410 for a token that lives and was registered
/// since, or a refusal without end.
enum PerturbationKinds {
  struct Kind: Sendable {
    let weight: Int
    let draw: @Sendable (HuntingGround, inout Draws) -> Perturbation?
  }

  static func draw(_ ground: HuntingGround, _ draws: inout Draws) -> Perturbation? {
    let kinds = ground.door == .test ? ofTests : ofTests + ofScenarios
    // Some have no subject in this story.
    for _ in 0..<10 {
      if let drawn = kinds[draws.index(of: kinds.map(\.weight))].draw(ground, &draws) { return drawn }
    }
    return nil
  }

  // MARK: - Conditions

  private static func time(_ ground: HuntingGround) -> ClosedRange<Duration> { .zero...ground.length }

  /// A condition about pushes, as an object; nil for every push.
  private static func condition(_ ground: HuntingGround, _ draws: inout Draws) -> JSONValue? {
    var members: [JSONValue.Member] = []
    var count = max(1, ground.pushes)
    if draws.happens(55), let word = draws.pick(ground.words) {
      members.append(.init(word.key, .string(word.word)))
      count = max(1, word.count)
    }
    if ground.door == .scenario, draws.happens(30), !ground.devices.isEmpty {
      members.append(.init("devices", devices(ground, &draws)))
    } else if draws.happens(60), count > 1 {
      members.append(.init("skip", .integer(Int64(skip(of: count, ground, &draws)))))
    }
    return members.isEmpty ? nil : .object(members)
  }

  private static let mostSkipped = 1000

  /// The number of pushes to pass over. The last ones are drawn more often: nothing follows that would mend what they
  /// have lost.
  private static func skip(of count: Int, _ ground: HuntingGround, _ draws: inout Draws) -> Int {
    guard count <= mostSkipped, draws.happens(40) else { return draws.below(min(count, mostSkipped)) }
    return count - 1 - draws.below(min(count, 2 * max(1, ground.devices.count)))
  }

  private static func condition(ofCalls ground: HuntingGround, _ draws: inout Draws) -> JSONValue? {
    guard let event = draws.happens(70) ? draws.pick(ground.calls) : nil else { return nil }
    var members: [JSONValue.Member] = [.init("event", .string(event))]
    if draws.happens(40) { members.append(.init("skip", .integer(Int64(draws.below(6))))) }
    return .object(members)
  }

  private static func devices(_ ground: HuntingGround, _ draws: inout Draws) -> JSONValue {
    let first = draws.below(ground.devices.count)
    let last = min(ground.devices.count - 1, first + draws.below(4))
    return .array(ground.devices[first...last].map { .string($0) })
  }

  /// Members that say which pushes are struck, and how many.
  private static func extent(
    _ ground: HuntingGround, _ draws: inout Draws, most: Int = 4
  ) -> [JSONValue.Member] {
    let most = min(most, ground.mostStrikes)
    var members: [JSONValue.Member] = []
    if let condition = condition(ground, &draws) { members.append(.init("when", condition)) }
    switch draws.below(10) {
    case 0..<5: members.append(.init("limit", 1))
    case 5..<8: members.append(.init("limit", .integer(Int64(draws.number(in: 2...max(2, most))))))
    default:
      members.append(.init("odds", .string("\(draws.number(in: 1...8) * 10)%")))
      members.append(.init("limit", .integer(Int64(most))))
    }
    return members
  }

  private static func kind(
    _ weight: Int, _ then: @escaping @Sendable (HuntingGround, inout Draws) -> JSONValue?
  ) -> Kind {
    Kind(weight: weight) { ground, draws in
      guard let then = then(ground, &draws) else { return nil }
      return .fault(then, extent(ground, &draws))
    }
  }

  private static func waits(_ ground: HuntingGround, _ draws: inout Draws) -> JSONValue {
    ground.door == .test ? 1 : .integer(Int64(draws.number(in: 1...60)))
  }

  private static func delay(_ ground: HuntingGround, _ draws: inout Draws) -> JSONValue {
    draws.text(
      in: ground.door == .test ? .milliseconds(20)...(.milliseconds(400)) : .milliseconds(200)...(.seconds(30)))
  }

  // MARK: - Kinds

  /// Faults that a session can have. In a test nothing overtakes: the last push or call would wait for ever for one
  /// that passes it.
  private static let ofTests: [Kind] = [
    kind(8) { ground, draws in
      draws.happens(50)
        ? ["answer": "TooManyRequests"] : ["answer": "TooManyRequests", "retryAfter": waits(ground, &draws)]
    },
    kind(5) { _, draws in ["answer": .string(draws.pick(["InternalServerError", "ServiceUnavailable"]) ?? "")] },
    kind(3) { ground, draws in ["answer": "ServiceUnavailable", "retryAfter": waits(ground, &draws)] },
    kind(2) { _, _ in ["answer": "Shutdown"] },
    Kind(weight: 3) { ground, draws in
      .fault(["answer": "ExpiredProviderToken"], extent(ground, &draws, most: 2).filter { $0.key != "odds" })
    },
    kind(3) { _, _ in ["answer": "Unregistered", "age": "30d"] },
    kind(6) { ground, draws in ["delay": delay(ground, &draws)] },
    // Silence lasts as long as the patience of a client, which may be that of its test.
    kind(5) { ground, draws in ["loseAnswer": ground.door != .test && draws.happens(50) ? true : "CANCEL"] },
    kind(4) { _, draws in ["reset": .string(draws.pick(["REFUSED_STREAM", "CANCEL", "INTERNAL_ERROR"]) ?? "")] },
    kind(2) { _, _ in ["malformed": "<html>502 Bad Gateway</html>", "status": 503] },
    kind(3) { _, draws in
      ["goAway": "NO_ERROR", "debug": #"{"reason":"Shutdown"}"#, "closes": .bool(draws.happens(60))]
    },
    kind(4) { _, _ in ["abort": true] },
    kind(3) { _, _ in ["close": true] },
    kind(1) { _, draws in ["halfClose": true, "goodbye": .bool(draws.happens(50))] },
    kind(4) { ground, draws in
      guard ground.bearsAnyArrival else { return nil }
      let word = draws.pick(["double", ground.door == .test ? "late" : "overtake", "late"])
      if word == "late" { return ["arrival": ["delay": delay(ground, &draws)]] }
      return ["arrival": .string(word ?? "")]
    },
    Kind(weight: 4) { ground, draws in
      guard !ground.calls.isEmpty else { return nil }
      let then: JSONValue =
        switch draws.below(5) {
        case 0: ["calls": "double"]
        case 1 where ground.door != .test: ["calls": "overtake"]
        case 2: ["calls": "loseAnswer"]
        default: ["calls": ["delay": delay(ground, &draws)]]
        }
      var members: [JSONValue.Member] = []
      if let condition = condition(ofCalls: ground, &draws) { members.append(.init("when", condition)) }
      members.append(.init("limit", .integer(Int64(draws.number(in: 1...min(6, ground.mostStrikes))))))
      return .fault(then, members)
    },
  ]

  /// Kinds that last longer than a test, or reach further than its session.
  private static let ofScenarios: [Kind] = [
    kind(4) { _, _ in ["silence": true] },
    Kind(weight: 4) { ground, draws in
      .fault(
        ["freeze": true], [.init("when", ["idle": draws.text(in: .seconds(10)...(.seconds(90)))]), .init("limit", 1)])
    },
    kind(2) { _, _ in ["freeze": true] },
    kind(3) { _, draws in
      ["goAway": "PROTOCOL_ERROR", "last": true, "pings": .bool(draws.happens(50))]
    },
    Kind(weight: 3) { _, draws in
      .fault(
        ["goAway": "NO_ERROR", "closes": false],
        [.init("when", ["idle": draws.text(in: .seconds(5)...(.seconds(60)))]), .init("limit", 1)])
    },
    kind(3) { _, draws in
      ["streams": .integer(Int64(draws.below(3))), "back": 1000, "after": draws.text(in: .seconds(1)...(.seconds(30)))]
    },
    kind(2) { _, draws in ["streams": .integer(Int64(draws.number(in: 1...10))), "surplus": "REFUSED_STREAM"] },
    kind(2) { _, draws in
      ["window": 16, "back": 65535, "after": draws.text(in: .seconds(1)...(.seconds(30)))]
    },
    Kind(weight: 3) { ground, draws in
      .fault(["answerAll": "InternalServerError"], extent(ground, &draws, most: 2).filter { $0.key != "odds" })
    },
    Kind(weight: 2) { _, _ in .fault(["skew": "90m"], [.init("limit", 1)]) },
    Kind(weight: 3) { ground, draws in
      // A handshake takes its time by the machine's clock. A backend may answer a tick after some seconds whatever it
      // waits for, and then the whole story passes while it waits.
      let then: JSONValue =
        switch draws.below(3) {
        case 0: ["listener": "refuse"]
        case 1: ["listener": "failHandshake"]
        default: ["listener": "slowHandshake", "after": draws.text(in: .milliseconds(100)...(.seconds(1)))]
        }
      return .fault(
        then,
        [
          .init("from", draws.text(in: time(ground))), .init("for", draws.text(in: .seconds(5)...(.seconds(90)))),
        ])
    },
    // Refusals that are final: the backend's other pushes have to go on.
    Kind(weight: 3) { ground, draws in
      let then: JSONValue = ["answer": .string(draws.pick(["BadDeviceToken", "PayloadTooLarge"]) ?? "")]
      return .fault(then, extent(ground, &draws, most: 2).filter { $0.key != "odds" })
    },
    Kind(weight: 3) { ground, draws in
      guard let device = draws.pick(ground.devices), let kind = draws.pick(ground.tokenKinds) else { return nil }
      return .fault(
        ["answer": "Unregistered"], [.init("when", ["tokenKind": .string(kind), "devices": [.string(device)]])])
    },
    Kind(weight: 2) { ground, draws in
      guard !ground.calls.isEmpty else { return nil }
      let condition = condition(ofCalls: ground, &draws).map { [JSONValue.Member("when", $0)] } ?? []
      return .fault(["calls": "lose"], condition + [.init("limit", .integer(Int64(draws.number(in: 1...4))))])
    },
    Kind(weight: 2) { ground, draws in
      .step(
        "clock", at: draws.time(in: time(ground)), [.init("clock", draws.text(in: .seconds(60)...(.seconds(7200))))])
    },
    Kind(weight: 12) { ground, draws in ofPhones(ground, &draws) },
    Kind(weight: 5) { ground, draws in rotation(ground, &draws) },
    Kind(weight: 4) { ground, draws in
      guard ground.canRestart else { return nil }
      let how = draws.happens(50) ? "kill" : "stop"
      let time = draws.time(in: .zero...(ground.length * 0.9))
      let start = min(time + draws.time(in: .seconds(1)...(.seconds(120))), ground.length)
      return .restart(how, from: time, to: start)
    },
    Kind(weight: 3) { _, draws in
      draws.pick([
        .setting("delivery.acknowledge", "1s..3s"), .setting("wire.initialStreams", 1),
        .setting("wire.streamsAfterRejection", "one"), .setting("store.withoutExpiration", "once"),
        .setting("reports.trouble.double", "100%"), .setting("lives.deadActivityAnswer", "90s"),
      ])
    },
  ]

  /// Something that happens to phones, or that their owners do.
  private static func ofPhones(_ ground: HuntingGround, _ draws: inout Draws) -> Perturbation? {
    guard !ground.devices.isEmpty else { return nil }
    var actions: [(then: JSONValue, lasts: Bool)] = [
      (["devices": ["do": "goOffline"]], true), (["devices": ["do": "forceQuit"], "heal": ["do": "open"]], true),
      (["devices": ["do": "switch", "what": "lowPower", "on": true]], true), (["devices": ["do": "lock"]], true),
      (["devices": ["do": "open"]], true), (["devices": ["do": "reboot"], "heal": ["do": "open"]], true),
      (["devices": ["do": "updateApp"], "heal": ["do": "open"]], true),
      (["devices": ["do": "crash"], "heal": ["do": "open"]], true), (["devices": ["do": "uninstall"]], false),
    ]
    if ground.tokenKinds.contains("update") {
      actions.append((["devices": ["do": "swipe"], "heal": ["do": "open"]], true))
    }
    guard let (then, lasts) = draws.pick(actions), let action = then["devices"]?["do"]?.string else { return nil }
    var members: [JSONValue.Member] = [
      .init("when", ["devices": devices(ground, &draws)]), .init("from", draws.text(in: time(ground))),
    ]
    if lasts { members.append(.init("for", draws.text(in: .seconds(10)...(.seconds(300))))) }
    return .fault(then, kind: action, members)
  }

  /// Tokens that are replaced, as iOS does whenever it likes.
  private static func rotation(_ ground: HuntingGround, _ draws: inout Draws) -> Perturbation? {
    guard !ground.devices.isEmpty, let kind = draws.pick(ground.tokenKinds) else { return nil }
    return .fault(
      ["devices": ["do": "rotate", "kind": .string(kind)]], kind: "rotate",
      [.init("when", ["devices": devices(ground, &draws)]), .init("from", draws.text(in: time(ground)))])
  }
}
