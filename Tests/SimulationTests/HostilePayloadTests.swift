import APNs
import Devices
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

/// APNs looks into no payload; a phone lives with whatever comes, and the push log says why nothing showed.
@Suite("A hostile payload")
struct HostilePayloadTests {
  /// Sends the same bytes to each kind of token of a phone with a running activity.
  private func each(
    _ bytes: [UInt8], _ look: (TokenSlot, PushRecord, Stage) throws -> Void
  ) throws {
    for slot: TokenSlot in [.app, .pushToStart(type: 0), .update(activity: 0), .service(.voip)] {
      var stage = Stage()
      try stage.launch()
      let record = try stage.send(stage.token(slot), topic: Stage.app + slot.suffix.text, bytes: bytes)
      #expect(stage.cards().count == 1 && stage.score() == 0, "\(slot)")
      #expect(try stage.story(of: record).count > 1 || record.status != 200, "\(slot)")
      // The phone and the connection are none the worse for it.
      #expect(try stage.update(7).fate.updates(0) && stage.score() == 7, "\(slot)")
      try look(slot, record, stage)
    }
  }

  private static let noJSON: [(String, [UInt8])] = [
    ("text", Array("Out!".utf8)), ("a brace", Array("{".utf8)), ("cut off", Array(#"{"aps":{"event":"upd"#.utf8)),
    ("a trailing comma", Array(#"{"aps":{"event":"update",}}"#.utf8)), ("twice", Array(#"{"aps":{}}{"aps":{}}"#.utf8)),
    ("single quotes", Array("{'aps':{}}".utf8)), ("NaN", Array(#"{"aps":{"timestamp":NaN}}"#.utf8)),
    ("a zero byte", [0]), ("spaces", Array("   ".utf8)), ("a byte order mark", [0xEF, 0xBB, 0xBF] + Array("{}".utf8)),
    ("UTF-16", Array(#"{"aps":{}}"#.utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }),
    ("bad UTF-8", Array(#"{"aps":{"alert":""#.utf8) + [0xFF] + Array(#""}}"#.utf8)),
    ("an overlong slash", Array(#"{"aps":{"alert":""#.utf8) + [0xC0, 0xAF] + Array(#""}}"#.utf8)),
    ("a surrogate in UTF-8", Array(#"{"aps":{"alert":""#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}}"#.utf8)),
    ("UTF-8 cut off", Array(#"{"aps":{"alert":""#.utf8) + [0xE2, 0x82] + Array(#""}}"#.utf8)),
    ("a high surrogate alone", Array(#"{"aps":{"alert":"\ud83d"}}"#.utf8)),
    ("a low surrogate alone", Array(#"{"aps":{"alert":"\ude00"}}"#.utf8)),
    ("surrogates swapped", Array(#"{"aps":{"alert":"\ude00\ud83d"}}"#.utf8)),
    ("a control character", Array("{\"aps\":{\"alert\":\"\u{1}\"}}".utf8)),
    ("deep arrays", Array((String(repeating: "[", count: 2048) + String(repeating: "]", count: 2048)).utf8)),
    ("deep objects", Array((String(repeating: #"{"a":"#, count: 600) + "1" + String(repeating: "}", count: 600)).utf8)),
    ("open to the end", [UInt8](repeating: UInt8(ascii: "["), count: 4096)),
  ]

  @Test("a payload that is not JSON returns 200 and is dropped as unreadable", arguments: noJSON)
  func unreadable(_ name: String, _ bytes: [UInt8]) throws {
    try each(bytes) { slot, record, _ in
      #expect(record.status == 200, "\(slot)")
      #expect(record.fate.cause == .notJSON, "\(slot): \(record.fate)")
    }
  }

  @Test(
    "a payload that is not an object, or has no aps object, shows nothing",
    arguments: [
      "[]", "7", "null", "true", #""aps""#, "{}", #"{"APS":{}}"#, #"{"aps":null}"#, #"{"aps":[]}"#, #"{"aps":"x"}"#,
      #"{"aps":1e308}"#, #"{"aps":{}}"#, #"{"aps":{"aps":{"alert":"x"}}}"#, #"{"":{"alert":"x"}}"#,
    ])
  func noAPS(_ body: String) throws {
    try each(Array(body.utf8)) { slot, record, stage in
      #expect(record.status == 200)
      switch slot {
      case .app:
        #expect(record.fate.shown?.cause == .nothingToShow && stage.screen().notifications.isEmpty)
      case .service: break
      default:
        let hasAPS = body.hasPrefix(#"{"aps":{"#)
        #expect(record.fate.cause == (hasAPS ? .unknownEvent : .noAPS), "\(slot)")
      }
    }
  }

  @Test("an empty body is 400 PayloadEmpty, one byte over 4,096 is 413 PayloadTooLarge, whatever the bytes are")
  func sizes() throws {
    try each([]) { slot, record, _ in
      #expect(record.status == 400 && record.reason == .payloadEmpty && record.fate == .refused, "\(slot)")
    }
    for byte: UInt8 in [0, 0x20, 0x5B, 0xFF] {
      try each([UInt8](repeating: byte, count: 4097)) { slot, record, _ in
        guard slot != .service(.voip) else { return }
        #expect(record.status == 413 && record.reason == .payloadTooLarge && record.fate == .refused, "\(slot)")
      }
    }
  }

  /// Of a Live Activity push: what each member of `aps` becomes when it is of another type.
  private static let updateMembers: [(String, String, DropCause?)] = [
    ("event", "7", .unknownEvent), ("event", "null", .unknownEvent), ("event", #"["update"]"#, .unknownEvent),
    ("event", #""UPDATE""#, .unknownEvent), ("event", #""update ""#, .unknownEvent), ("event", #""""#, .unknownEvent),
    ("timestamp", #""1700000001""#, .missingTimestamp), ("timestamp", "null", .missingTimestamp),
    ("timestamp", "true", .missingTimestamp), ("timestamp", "[1]", .missingTimestamp),
    ("timestamp", "{}", .missingTimestamp), ("timestamp", "-1", .staleTimestamp),
    ("timestamp", "-1e308", .staleTimestamp), ("timestamp", "0", .staleTimestamp), ("timestamp", "1e308", nil),
    ("timestamp", String(repeating: "9", count: 4000), nil), ("timestamp", "18446744073709551615", nil),
    ("timestamp", "9223372036854775807", nil),
    ("content-state", "null", .contentStateDecode), ("content-state", "[]", .contentStateDecode),
    ("content-state", #""{}""#, .contentStateDecode), ("content-state", "7", .contentStateDecode),
    ("alert", "7", nil), ("alert", "null", nil), ("alert", "[]", nil), ("alert", #"{"title":7,"body":[]}"#, nil),
    ("alert", #"{"title":{"loc-key":7,"loc-args":"x"}}"#, nil), ("alert", #"{"sound":{}}"#, nil),
    ("stale-date", #""soon""#, nil), ("stale-date", "1e308", nil), ("stale-date", "-1e308", nil),
    ("stale-date", "[]", nil), ("relevance-score", #""high""#, nil), ("relevance-score", "1e308", nil),
    ("relevance-score", "-1e308", nil), ("dismissal-date", "{}", nil), ("dismissal-date", "1e308", nil),
    ("attributes", "7", nil), ("attributes-type", "[]", nil), ("input-push-token", "{}", nil),
    ("input-push-channel", "7", nil), ("unknown", "[[[[{}]]]]", nil),
  ]

  @Test(
    "a wrong type in a member of aps drops the update, or only that member; 200 either way", arguments: updateMembers)
  func mistyped(_ key: String, _ value: String, _ cause: DropCause?) throws {
    var stage = Stage()
    try stage.launch()
    let record = try stage.pushActivity("update", spoilt: [key: value])
    #expect(record.status == 200 && record.fate.cause == cause, "\(record.fate)")
    #expect(record.fate.updates(0) == (cause == nil))
    #expect(stage.score() == (cause == nil ? 1 : 0))
    #expect(stage.cards().map(\.state).allSatisfy { $0 == .active || $0 == .stale })
    let lines = try stage.story(of: record)
    #expect(cause.map { cause in lines.contains { $0.cause == cause.rawValue } } ?? true)
  }

  /// Members that only a start reads.
  private static let startMembers: [(String, String, DropCause?)] = [
    ("alert", "7", .alertNotDictionary), ("alert", "null", .noAlertConfiguration), ("alert", "[]", .alertNotDictionary),
    ("alert", "{}", nil), ("attributes", "7", .attributesDecode), ("attributes", "null", .attributesDecode),
    ("attributes", #""{}""#, .attributesDecode), ("attributes-type", "7", .unknownAttributesType),
    ("attributes-type", "null", .unknownAttributesType),
    ("attributes-type", #"["MatchAttributes"]"#, .unknownAttributesType),
    ("attributes-type", #""MatchAttributes ""#, .unknownAttributesType),
    ("attributes-type", #""MatchAttributes\u0000""#, .unknownAttributesType),
    ("timestamp", "null", .missingTimestamp), ("timestamp", "1e308", nil), ("timestamp", "-1e308", nil),
    ("stale-date", "-1e308", nil), ("relevance-score", "[]", nil), ("input-push-token", "null", nil),
  ]

  @Test("a wrong type in a start drops the start, or only that member", arguments: startMembers)
  func mistypedStart(_ key: String, _ value: String, _ cause: DropCause?) throws {
    var stage = Stage()
    let record = try stage.pushActivity("start", spoilt: [key: value])
    #expect(record.status == 200 && record.fate.cause == cause, "\(record.fate)")
    #expect(stage.cards().count == (cause == nil ? 1 : 0))
    if cause == nil { #expect(record.fate.starts(0)) }
  }

  @Test("of duplicate members of aps the last is used")
  func duplicates() throws {
    var stage = Stage()
    try stage.launch()
    func send(_ text: String) throws -> Fate {
      let body = text.replacing("NOW", with: stage.nextTimestamp())
      return try stage.send(stage.token(.update(activity: 0)), topic: Stage.activityTopic, body).fate
    }
    let content = #""content-state":{"score":1}"#
    #expect(try send(#"{"aps":{"timestamp":NOW,"event":"start","event":"update",\#(content)}}"#).updates(0))
    #expect(
      try send(#"{"aps":{"timestamp":NOW,"event":"update","event":"start",\#(content)}}"#).cause == .wrongTokenKind)
    #expect(try send(#"{"aps":{"timestamp":1,"event":"update","timestamp":NOW,\#(content)}}"#).updates(0))
    #expect(try send(#"{"aps":7,"aps":{"timestamp":NOW,"event":"update",\#(content)}}"#).updates(0))
    #expect(try send(#"{"aps":{"timestamp":NOW,"event":"update",\#(content)},"aps":7}"#).cause == .noAPS)
    #expect(
      try send(
        #"{"aps":{"timestamp":NOW,"event":"update","content-state":{"score":8},"content-state":{"score":9}}}"#
      ).updates(0))
    #expect(stage.score() == 9, "what is shown is what was judged")
  }

  @Test("content nested up to the limit is shown, and deeper content is unreadable")
  func deep() throws {
    // The document, aps and content-state are three of the 512 levels.
    for (depth, isTaken) in [(508, true), (512, false)] {
      var stage = Stage()
      try stage.launch()
      let content = #"{"x":\#(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))}"#
      let record = try stage.pushActivity("update", spoilt: ["content-state": content])
      #expect(record.status == 200 && record.fate.updates(0) == isTaken, "\(depth): \(record.fate)")
      if isTaken { #expect(stage.cards().first?.content?.text == content) }
      if !isTaken { #expect(record.fate.cause == .notJSON) }
    }
  }

  @Test("numbers beyond every type leave a typed content undecoded, with the path in the ledger")
  func hugeNumbers() throws {
    let type = AttributesType(
      "MatchAttributes", contentState: .object([.init("score", .int), .init("pace", .optional(.double))]))
    let app = AppProfile(bundleID: Stage.app, teamID: Stage.team, types: [type])
    for (content, cause) in [
      (#"{"score":9223372036854775807}"#, nil), (#"{"score":9223372036854775808}"#, DropCause.contentStateDecode),
      (#"{"score":1e19}"#, .contentStateDecode), (#"{"score":1.5}"#, .contentStateDecode),
      (#"{"score":1,"pace":1e308}"#, nil), (#"{"score":1,"pace":1e309}"#, .contentStateDecode),
      (#"{"score":99999999999999999999}"#, .contentStateDecode), (#"{"score":1,"pace":99999999999999999999}"#, nil),
    ] as [(String, DropCause?)] {
      var stage = Stage(apps: [app])
      try stage.launch()
      let record = try stage.pushActivity("update", spoilt: ["content-state": content])
      #expect(record.status == 200 && record.fate.cause == cause, "\(content): \(record.fate)")
      guard cause == .contentStateDecode else { continue }
      let line = try stage.story(of: record).first { $0.cause == "content-state-decode" }
      #expect(
        line?.sentence.contains(content.contains("1e309") ? "content-state.pace" : "content-state.score") == true,
        "\(line?.sentence ?? "none")")
    }
  }

  @Test("random bytes, and valid payloads with changed bytes, are answered 200 and crash nothing")
  func random() throws {
    let seed = UInt64.random(in: 0..<1_000_000)
    // Before anything can trap.
    print("seed \(seed)")
    var dice = Dice(seed: seed)
    var stage = Stage(rulebook: Stage.unhurried)
    try stage.launch()
    for round in 0..<600 {
      let isUpdate = round % 2 == 0
      let slot: TokenSlot = isUpdate ? .update(activity: 0) : [.app, .pushToStart(type: 0)][round / 2 % 2]
      var bytes = Array(Stage.body(stage.aps(isUpdate ? "update" : "start")).utf8)
      for _ in 0...dice.below(8) {
        let index = dice.below(bytes.count)
        switch dice.below(3) {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: dice.bits())
        case 1: bytes.insert(bytes[dice.below(bytes.count)], at: index)
        default: if bytes.count > 1 { bytes.remove(at: index) }
        }
      }
      let record = try stage.send(stage.token(slot), topic: Stage.app + slot.suffix.text, bytes: bytes)
      #expect(record.status == 200 || record.reason == .unregistered, "seed \(seed), round \(round)")
      #expect(try stage.story(of: record).count > 1 || record.status != 200, "seed \(seed), round \(round)")
      _ = stage.screen().cards.map { ($0.content?.text, $0.attributes?.text) }
      stage.advance(by: .seconds(1))
      _ = stage.events()
    }
  }
}
