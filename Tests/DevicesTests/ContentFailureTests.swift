import Devices
import Testing
import WireFormats

@Suite("A decode failure")
struct ContentFailureTests {
  static let schema = #"""
    {"type":"object","properties":{"matchId":"string","score":"int","updatedAt":"date?","phase":{"enum":["live","tea"]},
    "day":{"enum":[1,2],"optional":true},"window":"dateRange?","icon":"data?","link":"url?","id":"uuid?",
    "batsmen":[{"type":"object","properties":{"name":"string","runs":"int","out":"bool?"}}],
    "odds":{"dictionary":"double"},"overs":{"type":"uint8","optional":true},"rate":"float?","wide":"uint64?",
    "fall":{"dictionary":"string","keys":"int","optional":true},
    "bowled":{"dictionary":"int","keys":"uuid","optional":true},
    "play":{"enum":{"ball":{"_0":"int","by":"string"},"tea":{}},"optional":true},
    "team":{"type":"object","properties":{"short name":"string?"}},"extra":"any"}}
    """#

  /// All that is sound; a row replaces one member.
  static let sound = [
    ("matchId", "\"m\""), ("score", "1"), ("phase", "\"live\""), ("batsmen", #"[{"name":"x","runs":1}]"#),
    ("odds", "{}"), ("team", "{}"), ("extra", "null"),
  ]

  static func content(_ name: String, _ value: String?) -> String {
    var members = sound.filter { $0.0 != name }
    if let value { members.append((name, value)) }
    return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  static let rows: [(String, String?, String)] = [
    ("matchId", nil, "contentState.matchId is missing, and the Swift property is not optional"),
    ("matchId", "null", "contentState.matchId is null, and the Swift property is not optional: it must be a string"),
    ("score", "\"1\"", "contentState.score must be a whole number, not a string"),
    ("score", "1.5", "contentState.score must be a whole number, not 1.5"),
    ("score", "9223372036854775808", "contentState.score is too large for an Int"),
    ("score", "1e300", "contentState.score is too large for an Int"),
    (
      "updatedAt", "\"2026-11-21T10:00:00Z\"",
      "contentState.updatedAt must be a number, the seconds since 2001 that a Date is by default, not a string"
    ),
    ("phase", "\"Live\"", "contentState.phase is \"Live\", which is not a case of the enum (live, tea)"),
    ("phase", "0", "contentState.phase must be a string, the raw value of an enum, not a number"),
    ("day", "3", "contentState.day is 3, which is not a case of the enum (1, 2)"),
    ("window", "[0,1e999]", "contentState.window[1] is too large for a Double"),
    ("rate", "1e999", "contentState.rate is too large for a Float"),
    ("window", "[1]", "contentState.window[1] is missing; the array is too short"),
    (
      "window", "[1,\"2\"]",
      "contentState.window[1] must be a number, the seconds since 2001 that a Date is by default, not a string"
    ),
    ("window", "[2,1]", "contentState.window is a range that ends before it begins"),
    ("icon", "\"AAA\"", "contentState.icon \"AAA\" is not valid base64"),
    ("link", "\"\"", "contentState.link \"\" is not valid for URL(string:)"),
    ("id", "\"7\"", "contentState.id \"7\" is not a valid UUID"),
    ("batsmen", "{}", "contentState.batsmen must be an array, not an object"),
    (
      "batsmen", #"[{"name":"x","runs":1},{"name":"y","runs":"2"}]"#,
      "contentState.batsmen[1].runs must be a whole number, not a string"
    ),
    (
      "batsmen", #"[{"name":"x","runs":1,"out":0}]"#,
      "contentState.batsmen[0].out must be true or false, not a number"
    ),
    (
      "batsmen", #"[{"name":"x"}]"#,
      "contentState.batsmen[0].runs is missing, and the Swift property is not optional"
    ),
    ("odds", #"{"home":1,"away":"2"}"#, "contentState.odds.away must be a number, not a string"),
    ("overs", "256", "contentState.overs is not in the range of UInt8, 0 to 255"),
    ("overs", "-1", "contentState.overs is not in the range of UInt8, 0 to 255"),
    ("overs", "1.5", "contentState.overs must be a whole number, not 1.5"),
    ("wide", "1e20", "contentState.wide is not in the range of UInt64, 0 to 18446744073709551615"),
    ("rate", "1e39", "contentState.rate is too large for a Float"),
    ("rate", "1e-50", "contentState.rate is too small for a Float"),
    ("fall", #"{"first":"x"}"#, "contentState.fall.first has a key that is not an Int"),
    (
      "bowled", "{}",
      "contentState.bowled must be an array of keys and values in turn, as Swift encodes a dictionary whose keys are"
        + " not String or Int, not an object"
    ),
    ("bowled", "[1]", "contentState.bowled has a key without a value: it must have keys and values in turn"),
    ("bowled", "[1,2]", "contentState.bowled[0] must be a string with a UUID, not a number"),
    (
      "play", "\"tea\"",
      "contentState.play must be an object whose key is a case of the enum, as Swift encodes an enum without raw"
        + " values, not a string"
    ),
    ("play", #"{"Tea":{}}"#, "contentState.play must have one case of the enum as its key (ball, tea)"),
    (
      "play", #"{"ball":{},"tea":{}}"#, "contentState.play must have one case of the enum as its key (ball, tea), not 2"
    ),
    ("play", #"{"ball":{"_0":"1"}}"#, "contentState.play.ball._0 must be a whole number, not a string"),
    ("play", #"{"ball":{"_0":1}}"#, "contentState.play.ball.by is missing, and the Swift property is not optional"),
    ("team", #"{"short name":1}"#, "contentState.team[\"short name\"] must be a string, not a number"),
    ("extra", nil, "contentState.extra is missing, and the Swift property is not optional"),
  ]

  @Test("S92, S93: a decode failure has its place and its reason in a sentence", arguments: rows)
  func sentence(name: String, value: String?, sentence: String) throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    let text = Self.content(name, value)
    let found = try JSONNode.read(Array(text.utf8)) { decoder.failure($0, at: "contentState") }
    #expect(found == sentence)
  }

  @Test("S91: a decode failure suggests the nearest key", arguments: ["match_id", "MatchId", "matchid", "match-id"])
  func similarKey(_ key: String) throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    let text = Self.content("matchId", nil).dropLast() + ",\"\(key)\":\"m\"}"
    let found = try JSONNode.read(Array(text.utf8)) { decoder.check($0) }
    #expect(found?.kind == .missingKey(similar: key))
    #expect(
      found?.sentence(from: "content-state")
        == "content-state.matchId is missing; there is a \"\(key)\", but JSONDecoder compares keys exactly")
  }

  @Test("S95: content that is not an object fails at the root", arguments: ["[]", "null", "1", "\"x\"", "true"])
  func noObject(_ text: String) throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    let found = try JSONNode.read(Array(text.utf8)) { decoder.check($0) }
    #expect(found?.path.steps.isEmpty == true)
    #expect(found?.sentence(from: "content-state").hasPrefix("content-state ") == true)
  }

  @Test("The reported failure is the first one in the order of the declaration, not of the document")
  func firstInOrder() throws {
    let decoder = try ContentTwin.decoder(#"{"type":"object","properties":{"a":"int","b":["int"],"c":"int"}}"#)
    let found = try JSONNode.read(Array(#"{"c":"x","b":[1,true,"x"],"a":1}"#.utf8)) { decoder.check($0) }
    #expect(found?.path.text(from: "s") == "s.b[1]")
  }

  @Test("A decode failure quotes at most a line of the content")
  func longText() throws {
    let decoder = try ContentTwin.decoder("\"uuid\"")
    let text = "\"" + String(repeating: "x", count: 5000) + "\""
    let found = try JSONNode.read(Array(text.utf8)) { decoder.failure($0, at: "id") }
    #expect(found?.count ?? 0 < 120 && found?.contains("…") == true)
  }
}
