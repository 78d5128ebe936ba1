import Devices
import Foundation
import Testing
import WireFormats

@Suite("The verdict on content is JSONDecoder's")
struct ContentDecoderTests {
  enum Phase: String, Decodable { case live, pause = "break", café }
  enum Grade: Int, Decodable { case one = 1, two, minus = -3 }
  enum Play: Decodable { case over(Int, by: String?), tea, rain(until: Date?), out(Player, Grade) }
  struct Player: Decodable { let name: String, runs: Int?, bats: Bool }

  /// A value of every kind.
  static let each = [
    "null", "true", "false", "0", "1", "-1", "2.5", "\"\"", "\"x\"", "\"1\"", "[]", "[1]", "[1,2]", "[null]", "{}",
    #"{"x":1}"#, #"{"x":null}"#, "\"live\"", "\"2026-11-21T10:00:00Z\"", "\"AA==\"",
  ]

  static let numbers = [
    "5.0", "5.5", "1e3", "1E3", "1e-1", "10e-1", "0.1e1", "1.55e1", "-0", "-0.0", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "18446744073709551615", "9223372036854775807.0",
    "9007199254740992.0", "9007199254740993", "9007199254740993.0",
    "9007199254740993.5", "4e18", "1e19", "1.0000000000000001", "0.99999999999999999", "1e308", "1e309", "-1e309",
    "5e-324", "0e999", "01", "+1", ".5", "5.", "0x10", "NaN", "Infinity", "1e", "--1", "1 2",
  ]

  /// Whole numbers that the reader of the payload does not read; see the nasty ones.
  static let beyond = ["-9223372036854775809", "18446744073709551616"]

  static let kinds: [ContentTwin] = [
    .one(
      String.self, "\"string\"", each + [#""\u0000""#, #""\/""#, #""\x""#, "'x'", "x", "\"\u{7f}\"", "\"é\u{301}\""]),
    .one(Int.self, "\"int\"", each + numbers + beyond),
    .one(Double.self, "\"double\"", each + numbers),
    .one(Bool.self, "\"bool\"", each + ["True", "1.0", "yes"]),
    .one(Date.self, "\"date\"", each + numbers + ["785430000", "1795430000000", "-978307200.5"]),
    .one(UUID.self, "\"uuid\"", each + uuids),
    .one(Data.self, "\"data\"", each + base64),
    .one(URL.self, "\"url\"", each + urls),
    .optional(String.self, "\"string?\"", each),
    .optional(Int.self, "\"int?\"", each + numbers + beyond),
    .one([Int].self, "[\"int\"]", each + ["[1,2.0]", "[1,\"2\"]", "[1,2.5]", "[[1]]", "[1,true]"]),
    .one([Int?].self, "[\"int?\"]", each + ["[1,null]", "[null,\"x\"]"]),
    .optional([[Bool]?].self, #"{"optional":[{"optional":["bool"]}]}"#, each + ["[[true],null]", "[[1]]", "[[null]]"]),
    .one([String: Int].self, #"{"dictionary":"int"}"#, each + dictionaries),
    .one([String: Int?].self, #"{"dictionary":"int?"}"#, each + dictionaries),
    .one(ClosedRange<Date>.self, "\"dateRange\"", each + ranges),
    .optional(ClosedRange<Date>.self, "\"dateRange?\"", each + ranges),
    .one(Phase.self, #"{"enum":["live","break","café"]}"#, each + phases),
    .optional(Phase.self, #"{"enum":["live","break","café"],"optional":true}"#, each + phases),
    .one(Grade.self, #"{"enum":[1,2,-3]}"#, each + ["3", "2.0", "-3", "-3.0", "20e-1", "1.5", "\"2\""]),
    .one(Float.self, "\"float\"", each + numbers + floats),
    .one(Int8.self, "\"int8\"", each + numbers + beyond + edges), .one(Int16.self, "\"int16\"", each + numbers + edges),
    .one(Int32.self, "\"int32\"", each + numbers + edges),
    .one(Int64.self, "\"int64\"", each + numbers + beyond + edges),
    .one(UInt.self, "\"uint\"", each + numbers + beyond + edges), .one(UInt8.self, "\"uint8\"", each + numbers + edges),
    .one(UInt16.self, "\"uint16\"", each + numbers + edges), .one(UInt32.self, "\"uint32\"", each + numbers + edges),
    .one(UInt64.self, "\"uint64\"", each + numbers + beyond + edges),
    .optional(UInt8.self, "\"uint8?\"", each + edges),
    .one([Int: Int].self, #"{"dictionary":"int","keys":"int"}"#, each + dictionaries + intKeys),
    .one([Int: Int?].self, #"{"dictionary":"int?","keys":"int"}"#, each + dictionaries + intKeys),
    .one([Int64: Int].self, #"{"dictionary":"int","keys":"int64"}"#, each + intKeys + pairs),
    .one([Grade: Bool?].self, #"{"dictionary":"bool?","keys":{"enum":[1,2,-3]}}"#, each + pairs),
    .one([Int?: Int].self, #"{"dictionary":"int","keys":"int?"}"#, each + pairs),
    .optional([UUID: [Int]].self, #"{"dictionary":["int"],"keys":"uuid","optional":true}"#, each + pairs),
    .one(Play.self, play, each + plays), .optional([Play].self, #"{"optional":[\#(play)]}"#, plays.map { "[\($0)]" }),
    .one(Player.self, player, each + players),
    .one([Player].self, "[\(player)]", each + players.map { "[\($0)]" } + ["[\(players[0]),\(players[1])]"]),
  ]

  @Test("S91, S92, S93: for each type, a value decodes exactly when JSONDecoder decodes it", arguments: kinds)
  func kind(_ twin: ContentTwin) throws { try twin.compare() }

  static let player = #"{"type":"object","properties":{"name":"string","runs":"int?","bats":"bool"}}"#
  static let players = [
    #"{"name":"V. Kohli","runs":82,"bats":true}"#, #"{"name":"V. Kohli","bats":true}"#,
    #"{"bats":true,"runs":null,"name":""}"#, #"{"name":"x","runs":"82","bats":true}"#,
    #"{"name":null,"runs":1,"bats":true}"#, #"{"name":"x","runs":1,"bats":1}"#,
    #"{"name":"x","runs":1,"bats":true,"more":[{}]}"#, #"{"Name":"x","bats":true}"#,
    #"{"n\u0061me":"x","bats":true}"#, #"{"name":"x","name":1,"bats":true}"#, #"{"name":1,"name":"x","bats":true}"#,
  ]
  static let play =
    #"{"enum":{"over":{"_0":"int","by":"string?"},"tea":{},"rain":{"until":"date?"},"#
    + #""out":{"_0":\#(player),"_1":{"enum":[1,2,-3]}}}}"#
  static let plays = [
    #"{"over":{"_0":1,"by":"x"}}"#, #"{"over":{"_0":1}}"#, #"{"over":{"_0":1,"by":null}}"#, #"{"over":{"by":"x"}}"#,
    #"{"over":{"0":1}}"#, #"{"over":[1,"x"]}"#, #"{"over":1}"#, #"{"over":null}"#, #"{"tea":{}}"#, #"{"tea":null}"#,
    #"{"tea":true}"#, #"{"tea":{"_0":1}}"#, #"{"tea":{},"over":{"_0":1}}"#, #"{"tea":{},"over":1}"#,
    #"{"tea":{},"x":1}"#,
    #"{"x":1,"over":{"_0":1}}"#, #"{"tea":{},"tea":1}"#, #"{"tea":1,"tea":{}}"#, #"{"rain":{}}"#,
    #"{"rain":{"until":5}}"#, #"{"rain":{"until":"5"}}"#, #"{"Tea":{}}"#, #"{"t\u0065a":{}}"#, "\"tea\"", "[\"tea\"]",
    #"{"out":{"_0":{"name":"x","bats":true},"_1":2}}"#, #"{"out":{"_0":{"name":"x","bats":1},"_1":2}}"#,
    #"{"out":{"_0":{"name":"x","bats":true},"_1":4}}"#,
  ]
  static let intKeys = [
    #"{"1":2}"#, #"{"1.0":2}"#, #"{"01":2}"#, #"{"+1":2}"#, #"{" 1":2}"#, #"{"-0":2}"#, #"{"9223372036854775808":2}"#,
    #"{"-9223372036854775808":2}"#, #"{"1":2,"01":"x"}"#, #"{"1":"x","1":2}"#, #"{"1":2,"1":"x"}"#, #"{"x":"x","1":2}"#,
    #"{"\u0031":3}"#, #"{"١":3}"#, #"{"1":null}"#,
  ]
  static let pairs = [
    "[1,true]", "[1,2,2,3]", "[1,2,1,3]", "[1,2,\"1\",3]", "[1,2,3]", "[1,null]", "[null,1]", "[4,true]", "[\"1\",2]",
    "[[1,2]]", #"["E621E1F8-C36C-495A-93FC-0C247A3E6E5F",[1]]"#, #"["E621E1F8-C36C-495A-93FC-0C247A3E6E5F",1]"#,
  ]
  /// The limits of the integer types, and one more.
  static let edges = [
    "127", "128", "-128", "-129", "255", "256", "127.0", "127.5", "1.28e2", "32767", "32768", "-32768", "-32769",
    "65535",
    "65536", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296",
    "9223372036854775808.0",
    "18446744073709549568.0", "1e20",
  ]
  static let floats = [
    "3.4028234663852886e38", "3.40282357e38", "-3.5e38", "1e39", "1e-38", "1e-44", "7.1e-46", "7e-46", "-1e-46",
    "1e-300",
  ]
  static let dictionaries = [
    #"{"x":1,"y":2.0}"#, #"{"x":"1"}"#, #"{"":1}"#, #"{"x":1,"x":2}"#, #"{"x":1,"x":"y"}"#, #"{"x":"y","x":1}"#,
  ]
  static let ranges = ["[2,1]", "[1,1]", "[1,2,3]", "[1,2,\"x\"]", "[1,null]", "[\"1\",2]", "[1.5,1e3]", "[-0,0]"]
  static let phases = [
    "\"break\"", "\"Live\"", "\"café\"", "\"cafe\u{301}\"", "\"cafe\"", #""l\u0069ve""#, "\"live \"",
  ]

  static let uuids = [
    "E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f",
    "E621E1F8C36C495A93FC0C247A3E6E5F", "E621E1F8-C36C-495A-93FC-0C247A3E6E5", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F0",
    "{E621E1F8-C36C-495A-93FC-0C247A3E6E5F}", "E621E1F8-C36C-495A-93FC-0C247A3E6E5G",
    "E621E1F8-C36C-495A-93FC0C247A3E6E5FAA", #"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\u0000"#,
    #"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\u0000x"#, #"E621E1F8-C36C-495A-93FC-0C247A3E6E5\u0000"#,
    "E621E1F8_C36C_495A_93FC_0C247A3E6E5F", "00000000-0000-0000-0000-000000000000",
  ].map { "\"\($0)\"" }

  static let base64 = [
    "AA==", "AA", "A", "AAA=", "AAAA", "AB==", "AAB=", "AA=A", "A=AA", "AA==AA==", "A A=", #"AA==\n"#, "-_-_", "+/+/",
    "=", "===", "====", "A===", "AAA==", "AA=", "AAAA=", "AAAA====", "AAAAA===", "AA=A====", "AAAA=AAA", "é", "AAA*",
    #"\u0041AA="#, "AA*=",
  ].map { "\"\($0)\"" }

  static let urls = [
    "https://example.com/a?b=c#d", "a b", "http://a b/", "http://[::1", "http://[::1]:80/", "http://[::1]x/", "%",
    "http://a/%zz", "http://a%zzb/", "http://a%20b/", "é", "http://é.de/", "://", ":", "1:2", "1:", "a:b", "-x:y",
    "x y:z", "é:x", "http://a:b/", "http://a:", "http://a:99999999/", "http://h:80:80/", "http://us er@h/",
    "http://a@b@c/", "http://a:b:c@d/", "mailto:x y", "//", "///", "//a b", "http://<>/", "http://a^b/",
    "http://x[y]/", "http://[<]/", "http://[::1%eth0]/", "[x", "@:b", "a[:b", "a/b:c", "?:", "##", " ", " http://a/",
    "tel://a b", "TEL://<>", "addressbook://a:b", "data:,x y", #"\\"#, #"\u0000"#, #"http://a\\b/"#, "file:///a b",
    "javascript:alert(1)", "http://*/", "//[", "http://%4/", "http://%/", "A1+-.:x", "a%:b", "http://@/",
  ].map { "\"\($0)\"" }
}
