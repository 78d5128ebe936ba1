import Grammar
import Simulation
import TestSupport
import WireFormats

/// Draws valid values of a type.
struct SampleValues {
  var dice: Dice
  /// Values of keys that must name existing objects.
  static let named: [String: [JSONValue]] = [
    "app": ["com.example.app"], "environment": ["sandbox"], "tokenKind": ["device", "pushToStart", "update"],
    "os": ["26", "26.1", 26], "event": ["start", "update", "end"], "connection": [1, 7],
    "devices": [["d1"], ["d1", "d2"]], "device": ["d1"], "user": ["u1"], "share": ["10%", .double(0.5)],
    "odds": ["10%", .double(0.25)], "limit": [1, 3],
    "from": ["10s", 20], "until": ["5m", 300], "for": ["90s"], "every": [1, 3], "skip": [0, 2],
    "delay": ["3s", 2, ["median": "1s", "p99": "4s"], ["from": "1s", "to": "2s"]],
    "arrival": ["lose", "double", "overtake", ["delay": "30s"]],
    "calls": ["lose", "double", ["delay": "30s"], ["clock": "-90m"]],
    "prompts": [["answer": "deny"], ["after": "10m"]], "split": [[5, 3], [1]],
    "operation": ["publish"], "token": ["ab12"], "activity": ["11111111-2222-3333-4444-555555555555"],
    "staleDate": [1_800_000_000], "startDate": [1_800_000_000], "dismissalDate": [.double(1_800_000_000.5)],
  ]

  mutating func pick<Element>(_ list: [Element]) -> Element { list[dice.below(list.count)] }

  mutating func value(_ name: String, _ type: ValueType) -> JSONValue {
    if let known = Self.named[name], name != "from" || !type.isWords { return pick(known) }
    switch type {
    case .text: return "x"
    case .pattern: return "d1"
    case .words(let words): return .string(pick(words))
    case .whole(let range):
      return JSONValue(range.lowerBound + dice.below(min(range.upperBound - max(0, range.lowerBound), 2) + 1))
    case .numbers(let numbers): return JSONValue(pick(numbers))
    case .number: return .double(1.5)
    case .truth: return .bool(dice.below(2) == 0)
    case .isTrue: return true
    case .duration: return pick(["90s", 5])
    case .offset: return pick(["-90m", "5m"])
    case .share: return pick(["10%", .double(0.5)])
    case .os: return "26"
    case .count: return pick([20, "10..20", "10.."])
    case .durations: return pick(["0s..10s", "1m.."])
    case .object, .any: return ["a": 1]
    case .list(let type, let least): return .array((0..<max(1, least)).map { _ in value(name, type) })
    case .either(let types): return value(name, pick(types))
    case .orNull(let type), .described(let type, _): return value(name, type)
    case .defined(_, let type): return value(name, type())
    case .members(let members, let needed, _):
      return .object(members.filter { needed.contains($0.name) }.map { .init($0.name, value($0.name, $0.type)) })
    case .named(_, _, _, let type): return value(name, type)
    }
  }

  mutating func object(_ members: [(name: String, type: ValueType)], _ names: [String]) -> JSONValue {
    .object(
      names.compactMap { name in
        members.first { $0.name == name }.map { JSONValue.Member(name, value(name, $0.type)) }
      })
  }

  /// A random part of the names.
  mutating func some(_ names: [String]) -> [String] { names.filter { _ in dice.below(3) == 0 } }
}

extension ValueType {
  /// `from` of an action is a word, but `from` of a fault is a time.
  var isWords: Bool { if case .words = unnamed { true } else { false } }
}

extension JSONValue {
  /// The document with the value at a path replaced or removed.
  func replacing(_ path: [String], with value: JSONValue?) -> JSONValue {
    guard let first = path.first, case .object(let members) = self else { return value ?? .null }
    if path.count == 1, members.allSatisfy({ $0.key != first }), let value {
      return .object(members + [.init(first, value)])
    }
    return .object(
      members.compactMap { member in
        guard member.key == first else { return member }
        if path.count == 1 { return value.map { Member(first, $0) } }
        return Member(first, member.value.replacing(Array(path.dropFirst()), with: value))
      })
  }

  /// The paths of all keys.
  var paths: [[String]] {
    (members ?? []).flatMap { member in [[member.key]] + member.value.paths.map { [member.key] + $0 } }
  }
}
