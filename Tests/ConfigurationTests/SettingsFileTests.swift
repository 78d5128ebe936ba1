import APNs
import Configuration
import Devices
import Foundation
import Grammar
import Simulation
import TestSupport
import Testing
import Timeline

@Suite("The settings file")
struct SettingsFileTests {
  private func read(_ text: String) throws(InputProblem) -> Settings {
    var settings = Settings()
    try SettingsFile.apply(text, named: "pushpit.yaml", to: &settings)
    return settings
  }

  @Test("an empty file changes nothing")
  func empty() throws {
    #expect(try read("").plan == Settings().plan)
    #expect(try read("# only a comment\n").sandboxPort == 2197)
  }

  @Test("every part of the file is read")
  func whole() throws {
    let settings = try read(
      """
      listen: {host: 127.0.0.2, sandbox: 0, production: 1, admin: 2, channels: 3, productionChannels: 4}
      names: [mock.test]
      fleet:
        devices: 7
        seed: 9
        os: {"17.6": 1, "18": 2}
        apps:
          - {bundleId: com.a, teamId: TEAM, environment: mixed, attributesTypes: [A, B], services: [widgets]}
          - {bundleId: com.b, deviceTokenBytes: 54, liveActivityTokenBytes: 100, runningActivities: 2}
      keys:
        - {keyId: K1, teamId: TEAM, environment: sandbox, topics: [com.a], related: K2, p8: a.p8}
        - {keyId: K2, publicKey: b.pem, topics: [], related: null}
      clock: manual
      ledger: {pushes: 5}
      rules: {strictProviderTokens: true, tokenUpdateScope: key,
        broadcastDisabled: "com.a, com.b", broadcastPriority: optional, channelsPerApp: 3}
      lives: {uninstallNotice: 1m..2m, deadActivityAnswer: never}
      wire: {initialStreams: 100, headerOverflow: reset}
      """)
    #expect(settings.host == "127.0.0.2" && settings.sandboxPort == 0 && settings.adminPort == 2)
    #expect(settings.channelsPort == 3 && settings.productionChannelsPort == 4)
    #expect(settings.channelRules.disabled == ["com.a", "com.b"] && settings.channelRules.channelsPerApp == 3)
    #expect(!settings.channelRules.priorityRequired)
    #expect(settings.certificateNames == ["mock.test"])
    #expect(settings.devices == 7 && settings.seed == 9)
    #expect(settings.mix.map(\.os) == [OSVersion(17, 6), OSVersion(18, 0)])
    #expect(settings.apps.map(\.profile.bundleID) == ["com.a", "com.b"])
    #expect(settings.apps[0].profile.build == .mixed && settings.apps[0].profile.services == [.widgets])
    #expect(settings.apps[1].profile.tokenSizes == TokenSizes(app: 54, liveActivity: 100))
    #expect(settings.keys.map(\.key.keyID) == ["K1", "K2"])
    #expect(settings.keys[0].key.topics == ["com.a"] && settings.keys[0].key.relatedKeyID == "K2")
    #expect(settings.keys[1].key.topics == nil && settings.keys[1].key.environments.count == 2)
    #expect(settings.startsManual && settings.pushLogEntries == 5)
    #expect(settings.rulebook.strictProviderTokens && settings.rulebook.countTokenUpdatesPerKey)
    #expect(settings.policy.uninstallNotice == .seconds(60)...(.seconds(120)))
    #expect(settings.policy.deadActivityNotice == nil)
  }

  @Test(
    "a mistake is named with file, line and key",
    arguments: [
      ("fleet:\n  devices: many\n", 2, "fleet.devices"),
      ("fleet:\n  devices: 0\n", 2, "fleet.devices"),
      ("fleet:\n  seed: -1\n", 2, "fleet.seed"),
      ("fleet:\n  devcies: 3\n", 2, "did you mean fleet.devices?"),
      ("clock: [wall]\n", 1, "clock"),
      ("listen: 2197\n", 1, "listen"),
      ("fleet:\n  apps: []\n", 2, "apps"),
      ("fleet:\n  apps:\n    - {environment: sandbox}\n", 3, "bundleId"),
      ("fleet:\n  apps:\n    - {bundleId: com.a.voip}\n", 3, "bundleId"),
      ("fleet:\n  apps:\n    - {bundleId: com.a, deviceTokenBytes: 8}\n", 3, "deviceTokenBytes"),
      ("fleet:\n  apps:\n    - {bundleId: com.a}\n    - {bundleId: com.a}\n", 3, "com.a"),
      ("fleet:\n  apps:\n    - {bundleId: com.a, services: [telepathy]}\n", 3, "services"),
      ("fleet:\n  os: {18: 0}\n", 2, "fleet.os"),
      ("keys:\n  - {keyId: A}\n", 2, "p8"),
      ("keys:\n  - {keyId: A, p8: a, generate: true}\n", 2, "generate: true"),
      ("keys:\n  - {keyId: ../A, generate: true}\n", 2, "letters and digits"),
      ("keys:\n  - {keyId: A, generate: maybe}\n", 2, "true or false"),
      ("keys:\n  - {keyId: A, p8: a, environment: moon}\n", 2, "environment"),
      ("rules:\n  order: priority\n", 2, "order"),
      ("lives:\n  uninstallNotice: 2h..1h\n", 2, "lives.uninstallNotice"),
      ("fleet: {devices: 1\n", 2, "YAML"),
      ("clock: wall\nclock: wall\n", 2, "duplicate key clock; the first one is on line 1"),
      ("- a\n- b\n", 1, "keys and values"),
    ])
  func mistakes(_ text: String, _ line: Int, _ word: String) {
    let problem = #expect(throws: InputProblem.self) { try read(text) }
    #expect(problem?.description.contains(word) == true, "\(problem?.description ?? "")")
    #expect(problem?.place == "pushpit.yaml:\(line)", "\(problem?.description ?? "")")
  }

  @Test("aliases of aliases are followed only to a limit")
  func aliases() throws {
    let apps = "fleet:\n  apps:\n    - bundleId: com.a\n      attributesTypes:\n        - name: A\n"
    var properties = "a: &p0 string"
    for level in 1...6 {
      let inside = (0..<10).map { "k\($0): *p\(level - 1)" }.joined(separator: ", ")
      properties += ", b\(level): &p\(level) {type: object, properties: {\(inside)}}"
    }
    let problem = #expect(throws: InputProblem.self) {
      try read(apps + "          attributes: {type: object, properties: {\(properties)}}\n")
    }
    #expect(problem?.place == "pushpit.yaml:6" && problem?.sentence.contains("aliases") == true)
    let settings = try read(apps + "          attributes: {type: object, properties: {a: &t string, b: *t}}\n")
    #expect(settings.apps.first?.profile.attributesTypes == ["A"])
  }

  /// Lists of lists, each ten times as long as the one before.
  private static let bomb =
    "x: \n  - &l0 [a, a, a, a, a, a, a, a, a, a]\n"
    + (1...12).map { "  - &l\($0) [\(Array(repeating: "*l\($0 - 1)", count: 10).joined(separator: ", "))]\n" }.joined()

  @Test(
    "a list, or an alias of one, is not a valid key: it is refused before anything is expanded",
    arguments: [
      (bomb + "? *l12 : 2\n", 15, 3), (bomb + "y: {*l12 : 2}\n", 15, 5), (bomb + "? [*l12, b] : 2\n", 15, 3),
      (bomb + "? {a: *l12} : 2\n", 15, 3), ("x: &w word\ny: &w [a]\n*w : 2\n", 3, 1),
      ("x: " + String(repeating: "[", count: 300), 1, 203), (String(repeating: "- ", count: 300), 1, 401),
    ])
  func keys(_ text: String, _ line: Int, _ column: Int) {
    let problem = #expect(throws: InputProblem.self) { try read(text) }
    #expect(problem?.place == "pushpit.yaml:\(line):\(column)", "\(problem?.description ?? "")")
  }

  @Test(
    "an alias of a word is a key like the word, and a text that looks like an alias is not an alias",
    arguments: [
      "fleet: {devices: &d 7}\n", "? fleet\n: {devices: 7}\n", "audit: &k false\n? fleet\n: {? devices : 7}\n",
      "&f fleet: {devices: 7} # *f: \"? *f\"\n",
    ])
  func words(_ text: String) throws { #expect(try read(text).devices == 7) }

  @Test("a flag overrides the file")
  func flagWins() throws {
    let folder = try TemporaryFolder()
    let file = folder.path + "/p.yaml"
    try "fleet: {devices: 5, seed: 6}".write(toFile: file, atomically: true, encoding: .utf8)
    let settings = try Settings.gathered(file: file, flags: [.init(key: "fleet.devices", value: "8")])
    #expect(settings.devices == 8 && settings.seed == 6)
  }

  @Test("a file that cannot be read is named")
  func missing() {
    let problem = #expect(throws: InputProblem.self) {
      try Settings.gathered(file: "/nowhere/p.yaml", flags: [])
    }
    #expect(problem?.place == "/nowhere/p.yaml")
  }

  @Test("apps and keys of the command line are read, or refused by name")
  func commandLine() throws {
    var settings = Settings()
    try settings.setApps(["com.a", "com.b:production:A,B", "com.c:mixed::5U8LBRXG3A", "com.d:sandbox:A:TEAM"])
    #expect(settings.apps.map(\.profile.build) == [.sandbox, .production, .mixed, .sandbox])
    #expect(settings.apps.map(\.profile.attributesTypes) == [[], ["A", "B"], [], ["A"]])
    #expect(settings.apps.map(\.profile.teamID) == ["PUSHPIT001", "PUSHPIT001", "5U8LBRXG3A", "TEAM"])
    try settings.addKeys(["K:T:both:/a:b.p8"])
    #expect(settings.keys.first?.source == .pem("/a:b.p8"))
    for text in ["com.a:moon", "com.a:sandbox:A:", "com.a:sandbox:A:T:E"] {
      #expect(throws: InputProblem.self) { try settings.setApps([text]) }
    }
    let twice = #expect(throws: InputProblem.self) { try settings.setApps(["com.a:sandbox:M,N,M"]) }
    #expect(twice?.place == "--app" && twice?.sentence.contains("type M") == true)
    #expect(throws: InputProblem.self) { try settings.addKeys(["K:T:file"]) }
  }
}
