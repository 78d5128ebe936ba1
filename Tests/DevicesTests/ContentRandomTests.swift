import Devices
import Foundation
import TestSupport
import Testing
import WireFormats

@Suite("Random content")
struct ContentRandomTests {
  enum Phase: String, Decodable { case live, tea, stumps }
  enum Day: Int, Decodable { case first = 1, second, third }
  struct Bowler: Decodable { let name: String, economy: Double, overs: [Int]? }
  struct Content: Decodable {
    let score: Int, striker: String?, updatedAt: Date, phase: Phase, day: Day?, overs: [Int], bowler: Bowler
    let attack: [Bowler], odds: [String: Double], isLive: Bool, window: ClosedRange<Date>?, icon: Data?, id: UUID?
  }

  static let bowler =
    #"{"type":"object","properties":{"name":"string","economy":"double","overs":{"optional":["int"]}}"#
  static let schema = #"""
    {"type":"object","properties":{"score":"int","striker":"string?","updatedAt":"date",
    "phase":{"enum":["live","tea","stumps"]},"day":{"enum":[1,2,3],"optional":true},"overs":["int"],
    "bowler":\#(bowler)},"attack":[\#(bowler)}],"odds":{"dictionary":"double"},"isLive":"bool",
    "window":"dateRange?","icon":"data?","id":"uuid?"}}
    """#

  static let names = [
    "score", "striker", "updatedAt", "phase", "day", "overs", "bowler", "attack", "odds", "isLive", "window", "icon",
    "id", "name", "economy", "Score", "updated_at",
  ]
  static let scalars = [
    "null", "true", "false", "0", "1", "2", "-7", "3.0", "3.5", "1e3", "9223372036854775808", "1e300", "\"\"", "\"x\"",
    "\"live\"", "\"tea\"", "\"Tea\"", "\"AAA=\"", "\"AAA\"", "\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"",
  ]

  /// A sound value for a name, which a random place then spoils.
  static func sound(_ name: String, _ dice: inout Dice) -> String {
    func pick(_ choices: [String]) -> String { choices[dice.below(choices.count)] }
    switch name {
    case "score": return pick(["0", "187", "187.0", "-0", "1e2"])
    case "striker", "name": return pick(["\"V. Kohli\"", "\"\"", "\"\\u00e9\""])
    case "updatedAt", "economy": return pick(["785430000", "7.21", "-1", "0", "1e9"])
    case "phase": return pick(["\"live\"", "\"tea\"", "\"st\\u0075mps\""])
    case "day": return pick(["1", "2.0", "3", "null"])
    case "overs": return pick(["[]", "[1,2,3]", "[1.0]"])
    case "bowler": return object(["name", "economy", "overs"], &dice)
    case "attack": return "[" + (0..<dice.below(3)).map { _ in sound("bowler", &dice) }.joined(separator: ",") + "]"
    case "odds": return pick(["{}", #"{"home":1.5}"#, #"{"home":1,"away":2}"#])
    case "isLive": return pick(["true", "false"])
    case "window": return pick(["[1,2]", "[1.5,1.5]", "null"])
    case "icon": return pick(["\"AAA=\"", "\"\"", "null"])
    case "id": return pick(["\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"", "null"])
    default: return anything(&dice, 2)
    }
  }

  static func anything(_ dice: inout Dice, _ depth: Int) -> String {
    switch dice.below(depth > 0 ? 10 : 8) {
    case 8: "[" + (0..<dice.below(4)).map { _ in anything(&dice, depth - 1) }.joined(separator: ",") + "]"
    case 9:
      "{"
        + (0..<dice.below(4)).map { _ in "\"\(names[dice.below(names.count)])\":\(anything(&dice, depth - 1))" }
        .joined(separator: ",") + "}"
    default: scalars[dice.below(scalars.count)]
    }
  }

  /// Members of these names in any order; now and then one is spoilt, missing, doubled or beside them.
  static func object(_ names: [String], _ dice: inout Dice) -> String {
    var order = names
    for index in order.indices.reversed() { order.swapAt(index, dice.below(index + 1)) }
    var members: [String] = []
    for name in order {
      let chance = dice.below(120)
      if chance == 0 { continue }
      members.append("\"\(name)\":\(chance < 4 ? anything(&dice, 2) : sound(name, &dice))")
      if chance == 4 { members.append("\"\(name)\":\(anything(&dice, 1))") }
      if chance == 5 { members.append("\"\(Self.names[dice.below(Self.names.count)])\":\(anything(&dice, 1))") }
    }
    return "{" + members.joined(separator: ",") + "}"
  }

  @Test("S91, S92, S93: a mid-size struct of random content gets JSONDecoder's verdict")
  func agrees() throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    let real = JSONDecoder()
    var accepted = 0
    let seeds: Range<UInt64> = 0..<4000
    for seed in seeds {
      var dice = Dice(seed: seed)
      let text = Self.object(Array(Self.names.prefix(13)), &dice)
      let expected = (try? real.decode(Content.self, from: Data(text.utf8))) != nil
      accepted += expected ? 1 : 0
      #expect(ContentTwin.accepts(decoder, text) == expected, "seed \(seed): \(text)")
    }
    #expect(accepted > 1000 && accepted < 3600, "\(accepted) of \(seeds.count) decode")
  }

  @Test("S93: a failure has the path that JSONDecoder names")
  func samePlace() throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    for seed: UInt64 in 10_000..<12_000 {
      var dice = Dice(seed: seed)
      let text = Self.object(Array(Self.names.prefix(13)), &dice)
      guard let expected = Self.place(text) else { continue }
      let found = try JSONNode.read(Array(text.utf8)) { decoder.check($0)?.path.text(from: "") }
      // It takes the entries of a dictionary in any order.
      if expected.hasPrefix("odds."), found?.hasPrefix("odds.") == true { continue }
      #expect(found == expected, "seed \(seed): \(text)")
    }
  }

  /// The place where the real decoder failed. For numbers that do not fit it names none, so these are left out.
  private static func place(_ text: String) -> String? {
    func path(_ keys: [any CodingKey]) -> String {
      keys.reduce("") { path, key in
        key.intValue.map { "\(path)[\($0)]" } ?? (path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)")
      }
    }
    do {
      _ = try JSONDecoder().decode(Content.self, from: Data(text.utf8))
      return nil
    } catch DecodingError.keyNotFound(let key, let context) {
      return path(context.codingPath + [key])
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
      return path(context.codingPath)
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      return path(context.codingPath)
    } catch {
      return nil
    }
  }

  @Test("random bytes in place of a document never crash the check")
  func broken() throws {
    let decoder = try ContentTwin.decoder(Self.schema)
    for seed: UInt64 in 20_000..<22_000 {
      var dice = Dice(seed: seed)
      var bytes = Array(Self.object(Array(Self.names.prefix(13)), &dice).utf8)
      for _ in 0..<(1 + dice.below(3)) { bytes[dice.below(bytes.count)] = UInt8(truncatingIfNeeded: dice.bits()) }
      let ours = (try? JSONNode.read(bytes) { decoder.check($0) == nil }) ?? false
      let real = (try? JSONDecoder().decode(Content.self, from: Data(bytes))) != nil
      // JSONDecoder skips over faults in what it does not look at; the other way round would be wrong.
      #expect(real || !ours, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }
  }
}
