import APNs
import Admin
import Configuration
import Devices
import Grammar
import Orders
import Simulation
import TestSupport
import Testing
import Timeline
import WireFormats

@testable import ScenarioFiles
@testable import Scenarios

/// Compares the readers and the schema of scenarios.
@Suite("Readers and published schemas agree")
struct SchemaAgreementTests {
  private static let scenarios = JSONSchema(root: (try? JSONValue.parse(Array(ScenarioSchema.text.utf8))) ?? .null)
  /// Values that are invalid for most keys.
  private static let invalid: [JSONValue] = [
    ["no": 1], [[1]], "no such word", .double(-7.5), .null, true, .double(1e12),
  ]

  private let fleet = Fleet(
    FleetPlan(devices: 9, seed: 1, mix: [.init(OSVersion(26, 1), parts: 1)]), rulebook: Rulebook(),
    began: Instant(seconds: 0))

  // MARK: - Members

  @Test("each key of a reader has a type, and there are no other types")
  func typed() {
    #expect(SelectionReader.type.members.map(\.name) == SelectionReader.members)
    #expect(TokenReader.type.members.map(\.name) == TokenReader.members)
    #expect(FaultReader.type.members.map(\.name).sorted() == FaultReader.members.sorted())
    #expect(FaultReader.condition.members.map(\.name) == FaultReader.conditions)
    #expect(ConsequenceReader.type.members.map(\.name) == ConsequenceReader.members)
    /// The keys of a definition, or of an object in it; those of the scenario for no name.
    func keys(_ name: String, _ path: [String] = []) -> Set<String> {
      let root = name.isEmpty ? Self.scenarios.root : Self.scenarios.root["$defs"]?[name] ?? .null
      let found = path.reduce(root) { Self.scenarios.resolved($0["properties"]?[$1] ?? .null) }
      return Set(found["properties"]?.members?.map(\.key) ?? [])
    }
    #expect(keys("fault") == Set(FaultReader.members))
    #expect(keys("fault", ["when"]) == Set(FaultReader.conditions))
    #expect(keys("fault", ["then"]) == Set(ConsequenceReader.members))
  }

  @Test("the OpenAPI document says the same as YAML and as JSON")
  func openAPI() throws {
    let node = try #require(try SettingsFile.compose(OpenAPIDocument.text, named: "openapi.yaml").root)
    #expect(node.json == OpenAPIDocument.value)
  }

  @Test(
    "the schema of scenarios and the table of settings accept and reject the same values",
    arguments: Setting.table.filter { $0.type != nil }.map(\.key))
  func settings(_ key: String) throws {
    let setting = try #require(Setting.named(key))
    let type = try #require(setting.type)
    let described = key.split(separator: ".").reduce(Self.scenarios.root["properties"]?["settings"]) {
      $0?["properties"]?[String($1)]
    }
    #expect(described == type.schema(plain: true))
    let schema = JSONSchema(root: try #require(described))
    func isRead(_ text: String) -> Bool {
      var settings = Settings()
      return (try? setting.set(text, in: &settings, place: "test")) != nil
    }
    let shown = setting.shown(in: Settings())
    if !shown.isEmpty {
      let node = try #require(try SettingsFile.compose("value: \(shown)", named: "s.yaml").root)
      #expect(schema.accepts(node.json["value"] ?? .null), "the schema rejects the default \(shown)")
    }
    for value: JSONValue in ["no such word", 7, .double(-7.5), true, 5_000_000_000] where !schema.accepts(value) {
      #expect(!isRead(value.string ?? value.text), "the reader accepts \(value.text)")
    }
    guard case .words(let words) = type else { return }
    for word in words { #expect(isRead(word), "the reader rejects \(word)") }
  }

  // MARK: - Documents

  /// Checks that schema and reader accept a document, and that the reader rejects each invalid value that the schema
  /// rejects.
  private func check(
    _ document: JSONValue, _ schema: JSONSchema, _ read: @escaping (JSONValue) throws -> Void, _ dice: inout Dice
  ) {
    #expect(schema.accepts(document), "the schema rejects \(document.text)")
    #expect(throws: Never.self, "\(document.text)") { try read(document) }
    let unknown = document.replacing(["nosuchkey"], with: 1)
    #expect(!schema.accepts(unknown) && Self.isRejected(unknown, read))
    for path in document.paths {
      // The content of payloads is free.
      if path.contains(where: {
        ["payload", "body", "headers", "contentState", "attributes", "arguments"].contains($0)
      }),
        path.count > 1, !["payload", "body", "contentState", "attributes", "arguments"].contains(path[path.count - 1])
      {
        continue
      }
      let wrong = Self.invalid.map { document.replacing(path, with: $0) }.filter { !schema.accepts($0) }
      #expect(!wrong.isEmpty, "the schema accepts any value of \(path) in \(document.text)")
      let invalid = wrong[dice.below(wrong.count)]
      #expect(Self.isRejected(invalid, read), "the reader accepts \(invalid.text)")
    }
  }

  private static func isRejected(_ document: JSONValue, _ read: @escaping (JSONValue) throws -> Void) -> Bool {
    do {
      try read(document)
      return false
    } catch {
      return true
    }
  }

  /// The optional keys of each consequence, in groups that are valid together.
  private static let details: [String: [[String]]] = [
    "answer": [["retryAfter"], ["split", "pause", "ends"]], "malformed": [["status"], ["split"]],
    "goAway": [["debug"], ["before"], ["twice"]], "streams": [["open"], ["back", "after"], ["surplus", "debug"]],
    "window": [["withheld"], ["back", "after"]], "freeze": [["pings"]], "halfClose": [["goodbye"]],
  ]

  private func fault(_ values: inout SampleValues) -> JSONValue {
    let types = ConsequenceReader.type.members
    let word = values.pick(ConsequenceReader.names)
    var then = values.object(types, [word]).members ?? []
    if word == "devices" { then = [.init("devices", ["do": .string(values.pick(["lock", "reboot", "goOffline"]))])] }
    for group in Self.details[word] ?? [] where values.dice.below(2) == 0 {
      then += values.object(types, group).members ?? []
    }
    let isOfPushes = !["devices", "prompts", "calls", "listener"].contains(word)
    // Requests about channels are to no device.
    let others = values.dice.below(2) == 0 ? ["operation", "channel"] : ["tokenKind", "devices", "os", "share"]
    let conditions = FaultReader.conditions.filter { !(["opening", "idle", "device"] + others).contains($0) }
    let allowed =
      isOfPushes ? conditions : word == "listener" ? ["environment"] : ["devices", "os", "share"]
    var members: [JSONValue.Member] = [
      .init("name", "f"), .init("when", values.object(FaultReader.condition.members, values.some(allowed))),
      .init("then", .object(then)),
    ]
    let limits = isOfPushes || word == "calls" ? ["odds", "limit"] : []
    members += values.object(FaultReader.type.members, values.some(limits + ["from", "until"])).members ?? []
    return .object(members)
  }

  @Test(
    "schema and reader accept the same faults and reject the same invalid ones",
    arguments: 0..<60 as Range<UInt64>)
  func faults(seed: UInt64) {
    var values = SampleValues(dice: Dice(seed: seed))
    let schema = JSONSchema(root: FaultReader.type.schema(plain: false))
    for _ in 0..<5 {
      let document = fault(&values)
      let read = { (document: JSONValue) throws in
        _ = try FaultReader.read(SourceNode(document), fleet, at: Instant(seconds: 0))
      }
      check(document, schema, read, &values.dice)
    }
  }

  @Test(
    "schema and reader accept the same selections and reject the same invalid ones",
    arguments: 0..<40 as Range<UInt64>)
  func selections(seed: UInt64) {
    var values = SampleValues(dice: Dice(seed: seed))
    let names = values.some(SelectionReader.members.filter { $0 != "device" })
    let document = values.object(SelectionReader.type.members, names)
    let read = { (document: JSONValue) throws in
      let body = try Fields(SourceNode(["where": document]), "a body", known: ["where", "cursor"])
      _ = try SelectionReader.read(body, fleet)
    }
    check(document, JSONSchema(root: SelectionReader.type.schema(plain: false)), read, &values.dice)
  }

  @Test(
    "schema and reader accept the same actions and reject the same invalid ones",
    arguments: DeviceAction.names)
  func actionDocuments(name: String) {
    var values = SampleValues(dice: Dice(seed: UInt64(name.utf8.count)))
    let needed: [String: [String]] = [
      "rotate": ["kind"], "use": ["action"], "updateActivity": ["contentState"], "updateSystem": ["os"],
      "setClock": ["ahead"], "switch": ["what", "on"], "permit": ["notifications"], "pressButton": ["button"],
      "answerNotification": ["text"],
    ]
    // These keys depend on each other.
    let linked = ["pushType", "channel", "attributesType", "activity"]
    for _ in 0..<8 {
      let details = DeviceAction.details(of: name).map(\.name).filter { !linked.contains($0) || name == "tap" }
      let mine = needed[name] ?? []
      let more = values.some(details.filter { !mine.contains($0) })
      var members: [JSONValue.Member] = [.init("do", .string(name))]
      members += values.object(DeviceAction.type.members, mine + more).members ?? []
      members = members.map { $0.key == "os" ? .init("os", "26.2") : $0 }
      let read = { (document: JSONValue) throws in
        _ = try DeviceAction.read(Fields(SourceNode(document), "an action", known: DeviceAction.keys))
      }
      check(.object(members), JSONSchema(root: DeviceAction.type.schema(plain: false)), read, &values.dice)
    }
  }

  /// Keys that depend on each other, or name objects of the scenario.
  private static let loners: Set<String> = ["step", "fault", "reason", "fate", "cause", "outcome", "status", "device"]

  @Test(
    "schema and reader accept the same expectations and reject the same invalid ones",
    arguments: 0..<40 as Range<UInt64>)
  func expectations(seed: UInt64) {
    var values = SampleValues(dice: Dice(seed: seed))
    let own: [String: ValueType] = [
      "event": .words(["start", "update", "end"]),
      "headers": .object,
    ]
    let types = FilterReader.members(PushExpectation.content.keys, own)
    var names = values.some(PushExpectation.content.keys.filter { !Self.loners.contains($0) && $0 != "headers" })
    names.append(values.pick(["reason", "fate", "cause", "outcome", "status"]))
    var filter = values.object(types, names)
    if filter["apnsId"] != nil { filter = filter.replacing(["apnsId"], with: "11111111-2222-3333-4444-555555555555") }
    let document: JSONValue = [
      "steps": [["push": ["payload": ["aps": ["alert": "x"]]]]], "expect": [["pushes": filter, "count": "0.."]],
    ]
    let read = { (document: JSONValue) throws in
      _ = try ScenarioFile.parse(document.text, named: "s.yaml")
    }
    #expect(Self.scenarios.accepts(document) && !Self.isRejected(document, read), "\(document.text)")
    for path in filter.paths where path.count == 1 {
      let wrong = Self.invalid.map { value -> JSONValue in
        document.replacing(["expect"], with: [["pushes": filter.replacing(path, with: value), "count": "0.."]])
      }
      for document in wrong where !Self.scenarios.accepts(document) {
        #expect(Self.isRejected(document, read), "the reader accepts \(document.text)")
      }
    }
  }

  @Test(
    "schema and reader accept the same steps and expectations about channels and reject the same invalid ones",
    arguments: 0..<40 as Range<UInt64>)
  func channels(seed: UInt64) {
    var values = SampleValues(dice: Dice(seed: seed))
    func object(_ keys: [String], _ needed: [String], without left: [String] = []) -> JSONValue {
      let own: [String: ValueType] = [
        "name": .words(["match"]), "channel": .words(["match"]), "step": .words(["goal"]), "headers": .object,
        "operation": .words(ChannelOperation.allCases.map(\.rawValue)), "priority": .words(["5", "10"]),
        "storage": .words(["none", "mostRecent"]), "expiration": .words(["0", "1800000000"]),
      ]
      let more = values.some(keys.filter { !needed.contains($0) && !left.contains($0) })
      return values.object(FilterReader.members(keys, own), needed + more)
    }
    let isAboutArrivals = values.dice.below(2) == 0
    let subject = isAboutArrivals ? "arrivals" : "broadcasts"
    let keys = (isAboutArrivals ? ArrivalExpectation.content : BroadcastExpectation.content).keys
    let parts: [JSONValue] = [
      object(CreateChannelStep.type.keys, ["name"]),
      object(BroadcastStep.type.keys, ["channel", "payload"], without: ["raw"]),
      object(keys, ["channel"], without: ["device", seed % 2 == 0 ? "status" : "reason"]),
    ]
    func document(_ parts: [JSONValue]) -> JSONValue {
      [
        "steps": [["createChannel": parts[0]], ["name": "goal", "broadcast": parts[1]]],
        "expect": [.object([.init(subject, parts[2]), .init("count", "0..")])],
      ]
    }
    let read = { (document: JSONValue) throws in
      _ = try ScenarioFile.parse(document.text, named: "s.yaml")
    }
    let valid = document(parts)
    #expect(Self.scenarios.accepts(valid) && !Self.isRejected(valid, read), "\(valid.text)")
    for (number, part) in parts.enumerated() {
      for path in part.paths where path.count == 1 {
        for value in Self.invalid {
          var changed = parts
          changed[number] = part.replacing(path, with: value)
          let invalid = document(changed)
          guard !Self.scenarios.accepts(invalid) else { continue }
          #expect(Self.isRejected(invalid, read), "the reader accepts \(invalid.text)")
        }
      }
    }
  }

  @Test(
    "schema and reader accept the same steps about the backend and its credentials and reject the same invalid ones",
    arguments: 0..<20 as Range<UInt64>)
  func backends(seed: UInt64) {
    var values = SampleValues(dice: Dice(seed: seed))
    // In turn, because only what runs can be stopped.
    let orders = (0..<6).map { number in number % 2 == 1 ? "start" : values.pick(["stop", "kill"]) }
    let changes: [JSONValue] = [["revoke": "all"], ["add": "all"], ["revoke": "NEW"], ["add": "NEW"]]
    var steps = orders.prefix(1 + values.dice.below(6)).map { order -> JSONValue in ["backend": .string(order)] }
    steps.insert(["keys": values.pick(changes)], at: values.dice.below(steps.count + 1))
    steps += [["certificates": ["revoke": values.pick(["all", "1f2e3d"])]], ["certificates": ["add": "1f2e3d"]]]
    func isRead(_ steps: [JSONValue]) -> Bool {
      let document: JSONValue = [
        "settings": ["keys": [["keyId": "NEW", "generate": true]]],
        "backend": ["command": "./server", "persists": .bool(seed % 2 == 0)],
        "steps": .array(steps), "expect": [["pushes": [:], "count": 0]],
      ]
      let isRead = !Self.isRejected(document) { _ = try ScenarioFile.parse($0.text, named: "s.yaml") }
      #expect(!isRead || Self.scenarios.accepts(document), "the schema rejects \(document.text)")
      return isRead
    }
    #expect(isRead(steps), "\(steps)")
    for (number, step) in steps.enumerated() {
      for path in step.paths {
        for value in Self.invalid {
          var changed = steps
          changed[number] = step.replacing(path, with: value)
          #expect(!isRead(changed), "the reader accepts \(changed[number].text)")
        }
      }
    }
  }
}
