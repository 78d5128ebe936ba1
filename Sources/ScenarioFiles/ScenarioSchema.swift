import APNs
import Configuration
import Devices
import Grammar
import Orders
import Reporting
import Scenarios
import Simulation
import WireFormats

/// The JSON Schema of scenario files, for editors. Generated from the reader's tables, so that the two always agree.
package enum ScenarioSchema {
  package static var text: String {
    var text = ""
    write(schema, to: &text, indent: "")
    return text
  }

  private static let duration: JSONValue = [
    "type": ["string", "number"], "description": "A duration such as 90s, 20m, 1h30m or 500ms.",
  ]
  private static let count: JSONValue = [
    "oneOf": [["type": "integer", "minimum": 0], ["type": "string", "pattern": #"^[0-9]+(\.\.([0-9]+)?)?$"#]],
    "description": "A whole number, or a range such as 10..20 or 10..",
  ]
  private static let single: JSONValue = ["type": ["string", "number", "boolean"]]
  private static let whole: JSONValue = ["type": "integer", "minimum": 0]
  private static let anything: JSONValue = .bool(true)

  private static var schema: JSONValue {
    [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Pushpit scenario",
      "type": "object", "additionalProperties": false,
      "properties": [
        "name": single, "story": ["type": "string"], "seed": whole, "for": duration, "quiet": duration,
        "settings": settings, "backend": backend,
        "faults": ["type": "array", "items": reference("fault")],
        "steps": reference("steps"),
        "expect": ["type": "array", "minItems": 1, "items": reference("expectation")],
        "without": ["type": "array", "items": single],
      ],
      "required": ["expect"],
      "$defs": [
        "fault": fault,
        "device": ValueType.device.schema(plain: true),
        "steps": ["type": "array", "minItems": 1, "items": reference("step")],
        "selection": SelectionReader.type.schema(plain: true), "pushes": pushes, "calls": calls, "step": step,
        "push": push,
        "expectation": expectation,
        "broadcasts": broadcasts(ExpectationReader.broadcastKeys),
        "arrivals": broadcasts(ExpectationReader.arrivalKeys),
      ],
    ]
  }

  // MARK: - Faults

  /// A consequence with its other keys.
  private static var fault: JSONValue {
    var then = ConsequenceReader.type.schema(plain: true).members ?? []
    then.append(.init("oneOf", .array(ConsequenceReader.names.map { ["required": [.string($0)]] })))
    let members = FaultReader.type.schema(plain: true).members ?? []
    return .object(
      members.map { member in
        guard member.key == "properties", let parts = member.value.members else { return member }
        return .init("properties", .object(parts.map { $0.key == "then" ? .init("then", .object(then)) : $0 }))
      })
  }

  private static var backend: JSONValue {
    object([
      ("command", ["oneOf": [["type": "string"], ["type": "array", "minItems": 1, "items": single]]]),
      ("directory", single), ("url", single), ("ready", single), ("tick", single), ("step", duration),
      ("tokens", words(["machine", "world"])), ("starts", duration), ("answers", duration), ("stop", duration),
    ])
  }

  // MARK: - Steps

  private static var step: JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", single), .init("at", duration), .init("after", duration), .init("every", duration),
      .init("times", whole), .init("until", duration),
      .init("do", words(DeviceAction.names)), .init("device", reference("device")),
      .init("where", reference("selection")), .init("push", reference("push")), .init("clock", duration),
      .init("createChannel", creation), .init("broadcast", broadcast), .init("deleteChannel", single),
      .init("fault", reference("fault")), .init("deleteFault", single),
      .init("register", TokenReader.type.schema(plain: true)),
      .init("serial", reference("steps")), .init("parallel", reference("steps")),
      .init(
        "repeat",
        object([("times", whole), ("every", duration), ("steps", reference("steps"))], required: ["times", "steps"])),
    ]
    for (name, type) in DeviceAction.type.members where !members.contains(where: { $0.key == name }) {
      members.append(.init(name, type.schema(plain: true)))
    }
    return [
      "type": "object", "additionalProperties": false, "properties": .object(members),
      "oneOf": .array(StepListReader.stepActions.map { ["required": [.string($0)]] }),
    ]
  }

  private static var push: JSONValue {
    let own: [String: ValueType] = [
      "tokenKind": .words(ProviderStep.Recipients.allCases.map(\.rawValue)),
      "tokens": .words(ProviderStep.Knowledge.allCases.map(\.rawValue)), "attributesType": .text(),
      "priority": .text(), "headers": .object, "raw": .text(),
    ]
    return ValueType.schema(of: FilterReader.members(StepActionReader.pushKeys, own), plain: true)
  }

  private static var creation: JSONValue {
    let own: [String: ValueType] = [
      "name": .text(), "storage": .words(StepActionReader.storagePolicies.map(\.name)),
    ]
    return ValueType.schema(of: FilterReader.members(StepActionReader.creationKeys, own), plain: true)
  }

  private static var broadcast: JSONValue {
    let own: [String: ValueType] = [
      "channel": .text(), "priority": .text(), "expiration": .text(), "headers": .object, "raw": .text(),
    ]
    return ValueType.schema(of: FilterReader.members(StepActionReader.broadcastKeys, own), plain: true)
  }

  // MARK: - Expectations

  private static let activityEvents = ValueType.words(["start", "update", "end"])

  private static var pushes: JSONValue {
    let own: [String: ValueType] = [
      "step": .text(), "event": activityEvents, "headers": .object,
    ]
    return orNull(ValueType.schema(of: FilterReader.members(ExpectationReader.pushKeys, own), plain: true))
  }

  private static func broadcasts(_ keys: [String]) -> JSONValue {
    let own: [String: ValueType] = [
      "operation": .words(ChannelOperation.allCases.map(\.rawValue)), "channel": .text(), "step": .text(),
    ]
    return orNull(ValueType.schema(of: FilterReader.members(keys, own), plain: true))
  }

  private static let environment = words(Environment.allCases.map(\.rawValue))

  private static var calls: JSONValue {
    orNull(
      ValueType.schema(of: FilterReader.members(ExpectationReader.callKeys, ["event": .text()]), plain: true))
  }

  private static let condition: JSONValue = [
    "anyOf": [
      ["const": true], ["type": "string", "description": "Of a delay: a range such as 0s..10s."], reference("pushes"),
      reference("calls"), reference("broadcasts"), reference("arrivals"),
    ]
  ]

  private static var events: JSONValue {
    let own = ["event": ValueType.words(DeviceEvent.names)]
    return orNull(ValueType.schema(of: FilterReader.members(ExpectationReader.eventKeys, own), plain: true))
  }

  /// A subject without members can be null: `pushes:` without a value.
  private static func orNull(_ schema: JSONValue) -> JSONValue {
    .object((schema.members ?? []).map { $0.key == "type" ? .init("type", ["object", "null"]) : $0 })
  }

  private static var mark: JSONValue {
    object([("pushes", reference("pushes")), ("calls", reference("calls")), ("events", events)])
  }

  private static var expectation: JSONValue {
    let shape = object([
      ("cards", count), ("card", object(ScreenPattern.cardMembers.map { ($0, anything) })), ("notifications", count),
      ("notification", object(ScreenPattern.notificationMembers.map { ($0, anything) })), ("badge", whole),
    ])
    let names = words(DeviceEvent.names)
    let members: [(String, JSONValue)] = [
      ("name", single), ("at", duration), ("within", duration), ("of", single), ("pushes", reference("pushes")),
      ("screens", ["anyOf": [reference("selection"), ["type": "null"]]]),
      ("events", events),
      ("calls", reference("calls")), ("broadcasts", reference("broadcasts")), ("arrivals", reference("arrivals")),
      ("findings", object([("kind", words(AuditFinding.Kind.allCases.map(\.rawValue)))], orNull: true)),
      ("connections", object([("environment", environment)], orNull: true)),
      ("delay", object([("from", mark), ("to", mark)], required: ["from", "to"])),
      ("converged", ["anyOf": [reference("selection"), ["type": "null"]]]),
      ("count", count), ("all", condition), ("none", condition), ("sometimes", condition),
      ("ordered", ["type": "array", "minItems": 2, "items": names]), ("show", shape),
      ("on", ["anyOf": [["enum": ["all", "none"]], count]]),
    ]
    guard case .object(let all) = object(members) else { return .null }
    return .object(
      all + [
        .init("oneOf", .array(ExpectationReader.subjects.map { ["required": [.string($0)]] }))
      ])
  }

  // MARK: - Settings

  /// The keys of the settings file, nested in the same way.
  private static var settings: JSONValue {
    let keys = Setting.table.map(\.key) + ["fleet.apps", "keys"]
    return level(keys.map { $0.split(separator: ".").map(String.init) })
  }

  private static func level(_ paths: [[String]], under prefix: String = "") -> JSONValue {
    var names: [String] = []
    for path in paths { if let first = path.first, !names.contains(first) { names.append(first) } }
    return object(
      names.map { name in
        let below = paths.filter { $0.first == name && $0.count > 1 }.map { Array($0.dropFirst()) }
        let key = prefix + name
        guard !paths.contains([name]), !below.isEmpty else {
          return (name, Setting.named(key)?.type?.schema(plain: true) ?? anything)
        }
        return (name, level(below, under: key + "."))
      })
  }

  // MARK: - Writing

  private static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/\(name)")] }
  private static func words(_ words: [String]) -> JSONValue { ["enum": .array(words.map { .string($0) })] }

  private static func object(
    _ members: [(String, JSONValue)], required: [String] = [], orNull: Bool = false
  ) -> JSONValue {
    var all: [JSONValue.Member] = [
      .init("type", orNull ? ["object", "null"] : "object"), .init("additionalProperties", false),
      .init("properties", .object(members.map { .init($0.0, $0.1) })),
    ]
    if !required.isEmpty { all.append(.init("required", .array(required.map { .string($0) }))) }
    return .object(all)
  }

  /// Writes one member per line, for human readers.
  private static func write(_ value: JSONValue, to text: inout String, indent: String) {
    guard value.text.utf8.count > 100, let members = value.members, !members.isEmpty else {
      value.write(to: &text)
      return
    }
    text += "{"
    for (index, member) in members.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + indent + "  "
      JSONValue.string(member.key).write(to: &text)
      text += ": "
      write(member.value, to: &text, indent: indent + "  ")
    }
    text += "\n" + indent + "}"
  }
}
