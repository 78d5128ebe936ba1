import Timeline
import WireFormats

/// The known failure modes, in the order of docs/behavior/failure-modes.md. Those that a story without trouble shows by
/// itself, such as mode 25, are left out, and those that need a phone for which it was not made, such as mode 37.
package enum KnownModes {
  package static let all: [KnownMode] = connections + credentials + answers + tokens + phones

  /// The event that the story pushes most, or the pushes in general.
  private static func main(_ ground: HuntingGround) -> JSONValue.Member? {
    let word =
      ground.words.filter { $0.key == "event" && $0.word == "update" }.first
      ?? ground.words.max { $0.count < $1.count }
    return word.map { .init($0.key, .string($0.word)) }
  }

  private static func first(_ ground: HuntingGround, _ word: String) -> JSONValue.Member? {
    ground.words.contains { $0.key == "event" && $0.word == word } ? .init("event", .string(word)) : nil
  }

  /// The start of activities, or another event, if the story pushes it as often as that.
  private static func many(_ ground: HuntingGround, _ count: Int) -> JSONValue.Member? {
    let events = ground.words.filter { $0.key == "event" && $0.count >= count }
    let word = events.first { $0.word == "start" } ?? events.max { $0.count < $1.count }
    return word.map { .init($0.key, .string($0.word)) }
  }

  private static func fault(
    _ then: JSONValue, when members: [JSONValue.Member?] = [], limit: Int? = 1
  ) -> Perturbation {
    let condition = members.compactMap(\.self)
    var others: [JSONValue.Member] = condition.isEmpty ? [] : [.init("when", .object(condition))]
    if let limit { others.append(.init("limit", .integer(Int64(limit)))) }
    return .fault(then, others)
  }

  private static func few(_ ground: HuntingGround, _ count: Int) -> JSONValue.Member? {
    let few = ground.devices.prefix(count)
    return ground.door == .test || few.isEmpty ? nil : .init("devices", .array(few.map { .string($0) }))
  }

  /// A device action on some phones, and its opposite at the end.
  private static func phones(
    _ ground: HuntingGround, _ then: JSONValue, from: Double, to: Double? = nil, count: Int = 2
  ) -> [Perturbation] {
    guard let few = few(ground, count) else { return [] }
    var members: [JSONValue.Member] = [
      .init("when", .object([few])), .init("from", .string(DurationText.write(ground.length * from))),
    ]
    if let to { members.append(.init("for", .string(DurationText.write(ground.length * (to - from))))) }
    return [.fault(then, kind: then["devices"]?["do"]?.string, members)]
  }

  private static func skip(_ count: Int) -> JSONValue.Member { .init("skip", .integer(Int64(count))) }

  private static func idle(_ time: String) -> JSONValue.Member { .init("idle", .string(time)) }

  private static func inScenarios(_ ground: HuntingGround, _ all: [Perturbation]) -> [Perturbation] {
    ground.door == .scenario ? all : []
  }

  // MARK: - Connections

  private static let connections: [KnownMode] = [
    KnownMode(1, "GOAWAY with open streams", needsAllFaults: true) { ground in
      let start = many(ground, 10)
      let away = fault(
        ["goAway": "NO_ERROR", "debug": #"{"reason":"Shutdown"}"#, "before": 6], when: [start, skip(9)])
      let silent = fault(["silence": true], when: [start, skip(4)], limit: 5)
      return ground.pushes >= 10 ? inScenarios(ground, [away, silent]) : []
    },
    KnownMode(2, "streams after GOAWAY") { ground in
      inScenarios(ground, [fault(["goAway": "NO_ERROR", "closes": false], when: [idle("20s")])])
    },
    KnownMode(3, "GOAWAY, then silence", needsAllFaults: true) { ground in
      let start = many(ground, 10)
      let away = fault(["goAway": "PROTOCOL_ERROR", "before": 6, "closes": false], when: [start, skip(9)])
      let silent = fault(["silence": true], when: [start, skip(4)], limit: 5)
      return ground.pushes >= 10 ? inScenarios(ground, [away, silent, initialStreams]) : []
    },
    KnownMode(4, "dead connection") { ground in
      inScenarios(ground, [fault(["freeze": true], when: [idle("55s")], limit: 2)])
    },
    KnownMode(5, "one stream at first") { ground in
      inScenarios(ground, [.setting("wire.initialStreams", 1), .setting("wire.strictStreams", true)])
    },
    KnownMode(6, "stream limit lowered") { ground in
      let lower = fault(
        ["streams": 0, "back": 1000, "after": "20s"], when: [many(ground, 5), skip(4)])
      return inScenarios(ground, [lower, initialStreams])
    },
    KnownMode(7, "too many streams") { ground in
      let five = fault(
        ["streams": 5, "surplus": "REFUSED_STREAM", "debug": "maximum active streams"],
        when: [skip(9), .init("every", 10)], limit: nil)
      return inScenarios(ground, [five, initialStreams])
    },
    KnownMode(17, "every push on a connection is 500") { ground in
      inScenarios(ground, [fault(["answerAll": "InternalServerError"], when: [main(ground)])])
    },
    KnownMode(35, "one stream after a rejection") { ground in
      let large = fault(["answer": "PayloadTooLarge"], when: [main(ground)], limit: 3)
      return inScenarios(ground, [.setting("wire.streamsAfterRejection", "one"), large])
    },
  ]

  private static let initialStreams = Perturbation.setting("wire.initialStreams", 1000)

  // MARK: - Credentials

  private static let credentials: [KnownMode] = [
    KnownMode(8, "provider token storm") { ground in
      [fault(["answer": "TooManyProviderTokenUpdates"], when: [main(ground)], limit: ground.door == .test ? 1 : 5)]
    },
    KnownMode(9, "provider token expires") { ground in
      guard ground.door == .test else { return [.step("clock", at: ground.length * 0.2, [.init("clock", "65m")])] }
      let expired = fault(["answer": "ExpiredProviderToken"], when: [main(ground)])
      // A connection may change its token once in 20 minutes, and the backend of a test goes on: its next test begins
      // with a new one.
      return [expired, fault(["goAway": "NO_ERROR", "closes": true], when: [skip(1)])]
    },
    KnownMode(10, "wrong clock on one host") { ground in
      inScenarios(ground, [fault(["skew": "90m"], when: [first(ground, "start") ?? main(ground)]), initialStreams])
    },
    KnownMode(11, "ExpiredProviderToken for ever") { ground in
      inScenarios(ground, [fault(["answer": "ExpiredProviderToken"], when: [few(ground, 1)], limit: nil)])
    },
  ]

  // MARK: - Answers

  private static let answers: [KnownMode] = [
    KnownMode(14, "410 older than the registration") { ground in
      [
        fault(
          ["answer": "Unregistered", "age": ground.door == .test ? "30d" : "1h"],
          when: [main(ground), few(ground, 3)], limit: 3)
      ]
    },
    KnownMode(18, "429 with and without Retry-After") { ground in
      let event = first(ground, "end") ?? main(ground)
      guard ground.door == .scenario else { return [fault(["answer": "TooManyRequests"], when: [event], limit: 2)] }
      return [
        fault(["answer": "TooManyRequests"], when: [event], limit: 3),
        fault(["answer": "TooManyRequests", "retryAfter": 20], when: [event, skip(3)], limit: 2),
      ]
    },
    KnownMode(19, "lost answer") { ground in
      [fault(["loseAnswer": "CANCEL"], when: [main(ground)], limit: ground.door == .test ? 1 : 5)]
    },
    KnownMode(30, "lost answer to a start") { ground in
      first(ground, "start").map { [fault(["loseAnswer": "CANCEL"], when: [$0], limit: 2)] } ?? []
    },
    KnownMode(34, "two pushes in one instant") { ground in
      inScenarios(ground, [.setting("delivery.acknowledge", "1s..3s")])
    },
    KnownMode(36, "channel throttled") { ground in
      guard ground.hasBroadcasts else { return [] }
      return [.setting("rules.broadcastRate", "0,4/h"), .setting("rules.tokenBurst", 6)]
    },
  ]

  // MARK: - Tokens

  private static let tokens: [KnownMode] = [
    KnownMode(15, "app deleted") { ground in
      inScenarios(
        ground,
        phones(ground, ["devices": ["do": "uninstall"]], from: 0.2) + [.setting("lives.deadActivityAnswer", "90s")])
    },
    KnownMode(22, "budget of updates") { ground in
      inScenarios(
        ground,
        [
          .setting("budgets.update.standardCapacity", 6), .setting("budgets.update.overflow", "drop"),
          .setting("fleet.mix.frequentUpdates", "0%"),
        ])
    },
    KnownMode(23, "start token replaced in silence") { ground in
      guard ground.tokenKinds.contains("pushToStart") else { return [] }
      let rotate = phones(
        ground, ["devices": ["do": "rotate", "kind": "pushToStart"]], from: 0.1)
      return inScenarios(
        ground, rotate + [.setting("lives.newTokenWakesApp", false), .setting("wakes.chance", "100%")])
    },
    KnownMode(24, "token arrives twice, or late") { ground in
      guard !ground.calls.isEmpty else { return [] }
      let late = fault(["calls": ["delay": "20s"]], limit: 3)
      return inScenarios(ground, [.setting("reports.trouble.double", "100%"), late])
    },
  ]

  // MARK: - Phones

  private static let phones: [KnownMode] = [
    KnownMode(27, "app closed") { ground in
      phones(ground, ["devices": ["do": "forceQuit"], "heal": ["do": "open"]], from: 0.2, to: 0.8)
    },
    KnownMode(28, "app updated") { ground in
      inScenarios(
        ground,
        phones(ground, ["devices": ["do": "updateApp"], "heal": ["do": "open"]], from: 0.2, to: 0.4)
          + [.setting("lives.surviveAppUpdate", false)])
    },
    KnownMode(29, "card swiped away") { ground in
      guard ground.tokenKinds.contains("update") else { return [] }
      return phones(ground, ["devices": ["do": "swipe"], "heal": ["do": "open"]], from: 0.3, to: 0.35)
    },
    KnownMode(33, "no expiration, phone offline") { ground in
      inScenarios(
        ground,
        phones(ground, ["devices": ["do": "goOffline"]], from: 0.4, to: 0.95)
          + [.setting("store.withoutExpiration", "once")])
    },
  ]
}
