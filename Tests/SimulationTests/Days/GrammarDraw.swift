import APNs
import Devices
import Grammar
import TestSupport
import Timeline
import WireFormats
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// Draws what a user may write, from the types that the readers publish: a new word is drawn without a change here.
struct GrammarDraw {
  /// Things that exist at the moment, so that much of what is drawn is meant for something.
  struct There {
    var apps: [String] = []
    var attributesTypes: [String] = []
    var devices: UInt32 = 1
    var activities: [String] = []
    var channels: [String] = []
    var tokens: [String] = []
    var connections: [UInt64] = []
    var now = Instant(seconds: 0)
  }

  var dice: Dice
  var there = There()
  /// Makes each content another one.
  private var contents: Int64 = 0

  init(dice: Dice) { self.dice = dice }

  mutating func oneOf<Element>(_ list: [Element]) -> Element { list[dice.below(list.count)] }

  mutating func oneIn(_ count: Int) -> Bool { dice.below(count) == 0 }

  // MARK: - What is written

  /// An order, as in `POST /v1/devices/{id}/do`.
  mutating func order(_ name: String? = nil) -> JSONValue {
    let name = name ?? oneOf(DeviceAction.names)
    var members = [JSONValue.Member("do", .string(name))]
    for (key, type) in DeviceAction.details(of: name) {
      // What an order needs, and what it mostly says.
      let isUsual = [
        "app", "kind", "action", "arguments", "what", "on", "os", "ahead", "notifications", "contentState", "button",
        "text",
      ]
      guard isUsual.contains(key) ? !oneIn(8) : oneIn(3) else { continue }
      members.append(.init(key, value(type, key)))
    }
    return .object(members)
  }

  /// The action that it says, if the reader accepts it.
  static func action(_ written: JSONValue) -> DeviceAction? {
    guard let fields = try? Fields(SourceNode(written), "an order", known: DeviceAction.keys) else { return nil }
    return try? DeviceAction.read(fields)
  }

  mutating func selection(in fleet: Fleet) -> (written: JSONValue, selection: Selection)? {
    var members: [JSONValue.Member] = []
    for (key, type) in SelectionReader.type.members where oneIn(4) { members.append(.init(key, value(type, key))) }
    let body: JSONValue = ["where": .object(members)]
    guard let fields = try? Fields(SourceNode(body), "a body", known: ["where"]) else { return nil }
    return (try? SelectionReader.read(fields, fleet)).map { (.object(members), $0) }
  }

  /// A fault, as in `POST /v1/faults`, with one consequence.
  mutating func fault() -> JSONValue {
    let kind = oneOf(FaultKinds.all)
    let types = Dictionary(ConsequenceReader.type.members.map { ($0.name, $0.type) }) { first, _ in first }
    var then: [JSONValue.Member] = []
    for key in kind.keys where key == kind.word || oneIn(2) {
      if let type = types[key] { then.append(.init(key, value(type, key))) }
    }
    // Only the age of a token with one of these reasons is valid.
    if then.contains(where: { $0.key == "age" }), !oneIn(4) {
      then = then.map { $0.key == kind.word ? .init(kind.word, .string(oneOf(["Unregistered", "ExpiredToken"]))) : $0 }
    }
    var when: [JSONValue.Member] = []
    for (key, type) in FaultReader.condition.members where oneIn(8) { when.append(.init(key, value(type, key))) }
    var members: [JSONValue.Member] = []
    for (key, type) in FaultReader.type.members {
      switch key {
      case "name": members.append(.init(key, .string("f\(dice.below(12))")))
      case "then": members.append(.init(key, .object(then)))
      case "when": if !when.isEmpty { members.append(.init(key, .object(when))) }
      default: if oneIn(4) { members.append(.init(key, value(type, key))) }
      }
    }
    return .object(members)
  }

  /// A token that the user brings, as in `POST /v1/tokens`.
  mutating func registration() -> (written: JSONValue, command: Command)? {
    var members: [JSONValue.Member] = []
    for (key, type) in TokenReader.type.members where TokenReader.type.needed.contains(key) || oneIn(3) {
      members.append(.init(key, value(type, key)))
    }
    let written = JSONValue.object(members)
    guard let fields = try? Fields(SourceNode(written), "a token", known: TokenReader.members) else { return nil }
    return (try? TokenReader.read(fields)).map { (written, $0) }
  }

  // MARK: - Values

  /// A value of that type; a key that names something mostly names what there is.
  mutating func value(_ type: ValueType, _ key: String) -> JSONValue {
    if let named = named(key), case .text = type.unnamed { return named }
    switch type {
    case .text: return .string(dice.letters(1 + dice.below(6)))
    case .pattern: return pattern(key)
    case .words(let words): return .string(oneOf(words))
    case .numbers(let numbers): return .integer(Int64(oneOf(numbers)))
    case .whole(let range): return .integer(Int64(whole(in: range)))
    case .number: return number(key)
    case .truth: return .bool(oneIn(2))
    case .isTrue: return true
    case .duration: return .string(oneOf(["500ms", "1s", "5s", "40s", "10m", "2h"]))
    case .offset: return .string(oneOf(["90m", "-90m", "3h", "-7s", "0s"]))
    case .share: return .string(oneOf(["100%", "50%", "10%", "0.3"]))
    case .os: return .string(oneOf(["17", "18.5", "26", "26.1", "27.0"]))
    case .count: return .integer(Int64(dice.below(9)))
    case .durations: return "0s..10s"
    case .object, .any: return object(key)
    case .list(let element, _): return .array((0...dice.below(3)).map { _ in value(element, key) })
    case .either(let types): return value(oneOf(types), key)
    case .orNull(let type), .described(let type, _): return value(type, key)
    case .defined(_, let type): return value(type(), key)
    case .members(let members, let needed, _):
      if needed == ["do"] { return order() }
      var written = members.filter { needed.contains($0.name) || oneIn(2) }
      if written.isEmpty { written = [oneOf(members)] }
      return .object(written.map { .init($0.name, value($0.type, $0.name)) })
    case .named(_, _, _, let type): return value(type, key)
    }
  }

  private mutating func named(_ key: String) -> JSONValue? {
    let names: [String]
    switch key {
    case "app": names = there.apps
    case "attributesType": names = there.attributesTypes
    case "activity": names = there.activities
    case "channel": names = there.channels
    case "token": names = there.tokens
    case "os": names = ["18.5", "26.1", "26.4", "27.0", "27.1"]
    case "event":
      names = ["start", "update", "end", "foreground", "activityStarted.push", "action.follow", "button.mute"]
    case "button": names = ["cheer", "mute"]
    case "action": names = ["follow", "unfollow", "look"]
    case "name": names = ["wave", "tide"]
    default: return nil
    }
    guard !names.isEmpty, !oneIn(30) else { return .string(key == "token" ? "c0ffee00" : "com.example.none") }
    return .string(oneOf(names))
  }

  private mutating func pattern(_ key: String) -> JSONValue {
    switch key {
    case "device", "devices": .string("d\(dice.below(Int(there.devices)))")
    case "user": .string("u\(dice.below(Int(there.devices)))")
    default: .string("11111111-2222-3333-4444-555555555555")
    }
  }

  private mutating func whole(in range: ClosedRange<Int>) -> Int {
    if range.lowerBound == 0, !there.connections.isEmpty, oneIn(4) { return Int(oneOf(there.connections)) }
    let width = range.upperBound - range.lowerBound
    return oneIn(3)
      ? range.lowerBound + dice.below(min(width, 999) + 1) : range.lowerBound + dice.below(min(width, 4) + 1)
  }

  private mutating func number(_ key: String) -> JSONValue {
    switch key {
    case "timestamp": .double(Double(there.now.seconds + Int64(dice.below(12)) - 4))
    case "relevanceScore": .double(Double(dice.below(100)))
    default: .integer(there.now.seconds + Int64(dice.below(4000)) - 400)
    }
  }

  private mutating func object(_ key: String) -> JSONValue {
    contents += 1
    switch key {
    case "attributes": return ["id": .string("m\(dice.below(3))")]
    case "arguments": return ["id": .string("m\(dice.below(3))")]
    default: return ["n": .integer(contents)]
    }
  }
}
