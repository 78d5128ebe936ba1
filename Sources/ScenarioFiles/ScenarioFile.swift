import APNs
import Configuration
import Devices
import Grammar
import Reporting
import Scenarios
import Simulation
import Timeline
import WireFormats

/// Reads a scenario from a YAML file. Every problem names the file, the line and the column.
package struct ScenarioFile: Sendable {
  package private(set) var scenario: Scenario
  let text: String
  /// Faults of the file to leave out.
  private(set) var without: [String] = []
  /// The settings of its world.
  package let settings: Settings
  /// The backend under test; nil if the scenario needs none.
  package let backend: BackendPlan?
  let files: SourceFiles
  /// Oracles and kinds of findings whose failures a hunt with this story accepts.
  package private(set) var accepted: [String] = []
  /// Options for playing it with a real backend.
  let live: LiveOptions?

  /// Maximum size of a file, in bytes.
  private static let longest = 4 << 20

  /// - Parameters:
  ///   - seed: overrides the file's seed.
  ///   - live: for a run with a real backend; nil for one in virtual time.
  package static func read(
    _ path: String, seed: UInt64? = nil, live: LiveOptions? = nil
  ) throws(InputProblem) -> ScenarioFile {
    let text: String
    do {
      text = try TextFile.read(path, limit: longest)
    } catch {
      throw InputProblem(path, "the scenario cannot be read: \(error).")
    }
    return try parse(text, named: path, seed: seed, live: live)
  }

  /// - Parameter server: the settings of the server that plays it; nil if the file makes a separate world.
  package static func parse(
    _ text: String, named name: String, seed: UInt64? = nil, live: LiveOptions? = nil, on server: Settings? = nil,
    files: SourceFiles = SourceFiles()
  ) throws(InputProblem) -> ScenarioFile {
    let (file, root) = try SettingsFile.compose(text, named: name, isScenario: true, files: files)
    guard let root else {
      throw InputProblem(name, "a scenario needs steps: (what happens) and expect: (what must be true).")
    }
    let fields = try Fields(root, "a scenario", known: ScenarioSchema.type.keys)
    var backend = try fields["backend"].map { node throws(InputProblem) in
      try BackendReader(fileName: name).read(node)
    }
    if let live { backend = live.applied(to: backend) }
    let (settings, reports) =
      if let server {
        try ServedScenario(server).settings(fields, file, seed: seed)
      } else {
        try settings(fields, file: file, seed: seed, backend: backend, state: live?.state)
      }
    let scenarioNames = ScenarioNames(settings, reports: reports)
    var line = StepListReader(scenarioNames)
    try line.read(faults: fields["faults"])
    try line.read(fields["steps"])
    try line.checkDeletedFaults()
    try line.checkChannels()
    try line.checkBackend(server == nil ? backend.map { $0.command.isEmpty ? .other : .command } ?? .nobody : .server)
    try line.checkKeys(server == nil ? settings.keys.map(\.key.keyID) : nil)
    try line.checkCertificates(server != nil ? .server : backend == nil ? .nobody : .other)
    guard !line.steps.isEmpty || fields.has("expect") else {
      throw fields.problem(nil, "a scenario needs steps: (what happens) or expect: (what must be true).")
    }
    let expectations = try ExpectationReader(
      scenarioNames, line.steps, isAlone: backend == nil && live == nil && server == nil
    ).read(fields["expect"])
    if let cell = server?.cell { try ServedScenario.checkOrders(expectations, of: cell) }
    let times = try ScenarioTimes(fields, steps: line.steps, expectations: expectations)
    let begins = settings.begins.map { Instant(seconds: Int64($0)) } ?? Scenario.usualBegin
    try times.checkEnd(from: begins, line.steps, in: name)
    try checkSense(fields, expectations)
    var scenario = Scenario(
      name: try fields.spelling("name") ?? fileName(name), file: name, plan: settings.plan, length: times.whole)
    scenario.rulebook = settings.rulebook
    scenario.channels = settings.channelRules
    scenario.pushLogEntries = settings.pushLogEntries
    scenario.begins = begins
    scenario.steps = line.stepsWithLateKeys + times.quietStep
    scenario.backendPersists = backend?.persists ?? false
    scenario.expectations = expectations
    let story = ScenarioFile(
      scenario: scenario, text: text, settings: settings, backend: backend, files: files,
      accepted: try fields["hunt"].map(HuntReader.accepted) ?? [], live: live)
    guard fields.has("without") else { return story }
    return try story.leavingOut(try fields.texts("without") ?? [], place: fields.place("without"))
  }

  private static func checkSense(
    _ fields: Fields, _ expectations: [Expectation]
  ) throws(InputProblem) {
    if let story = fields["story"], story.isNull || story.spelling == nil {
      throw fields.problem("story", "story must be text.", code: .wrongType)
    }
    guard expectations.isEmpty else { return }
    throw fields.problem(
      fields.has("expect") ? "expect" : nil,
      "this scenario expects nothing, so it could only pass; add expectations under expect:, such as"
        + " {pushes: {}, all: {status: 200}}.")
  }

  private static func settings(
    _ fields: Fields, file: SettingsFile, seed: UInt64?, backend: BackendPlan?, state: String?
  ) throws(InputProblem) -> (settings: Settings, reports: [ReportPlan?]) {
    var settings = Settings()
    if let node = fields["settings"] {
      let given = try file.read(node, into: &settings)
      for assignment in given {
        switch assignment.setting.key {
        case "clock" where assignment.text != "manual":
          throw InputProblem(assignment.place, "the clock of a scenario is always manual; leave it out.")
        case "fleet.seed" where fields.has("seed"):
          throw InputProblem(
            assignment.place, "the seed is given twice; leave this one out and use seed: at the top of the file.")
        default: break
        }
      }
      try settings.apply(given)
    }
    if let text = try fields.spelling("seed") {
      guard let number = UInt64(text) else {
        throw fields.problem(
          "seed", "seed must be a whole number from 0 to \(UInt64.max), not \(Wording.quoted(text)).")
      }
      settings.seed = number
    }
    if let seed { settings.seed = seed }
    settings.startsManual = true
    settings.state = state ?? settings.state
    if let url = backend?.url { settings.backend = url }
    let reports = settings.apps.map(\.reports)
    // Without a backend, the apps make no calls.
    if backend == nil {
      settings.reports.opensWithin = nil
      for index in settings.apps.indices where settings.backend == nil && reports[index]?.backend.isEmpty ?? true {
        settings.apps[index].reports = nil
      }
    }
    return (settings, reports)
  }

  /// Scenario seconds per real second; nil if the backend sets the pace.
  package func speed(_ live: LiveOptions) -> Double? { backend?.tick == nil ? live.speed : nil }

  /// Returns this scenario with another seed.
  package func seeded(_ seed: UInt64) -> ScenarioFile {
    var settings = settings
    settings.seed = seed
    return ScenarioFile(
      scenario: scenario.seeded(seed), text: text, without: without, settings: settings, backend: backend,
      files: files, accepted: accepted, live: live)
  }

  /// The inputs of the scenario; stored on a tape.
  package var source: ScenarioSource {
    ScenarioSource(
      name: scenario.file, text: text, seed: scenario.seed, without: without,
      live: live.map { .init(backend: $0.backend, command: $0.command, simulatesTime: speed($0) != 1) }, files: files)
  }

  /// Returns this scenario without some of its faults.
  ///
  /// - Parameter place: where the names were written, for messages.
  package func leavingOut(_ names: [String], place: String) throws(InputProblem) -> ScenarioFile {
    let known = scenario.faults + without
    for name in names where !known.contains(name) {
      let near = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
      let all = known.isEmpty ? "it sets no faults." : "it sets \(Wording.list(known))."
      throw InputProblem(place, "this scenario sets no fault \(name); \(near ?? all)")
    }
    var copy = self
    copy.scenario = scenario.without(names)
    copy.without = without + names.filter { !without.contains($0) }
    return copy
  }

  /// The flags that leave out the same faults.
  package var flags: [String] { without.isEmpty ? [] : ["--without", without.joined(separator: ",")] }

  /// The file's text with the faults that are left out, and the seed.
  package var edited: String {
    get throws(InputProblem) {
      let name = scenario.file
      let text = try ScenarioEdit.setting("seed", to: "\(scenario.seed)", in: text, named: name)
      guard !without.isEmpty else { return text }
      return try ScenarioEdit.setting("without", to: try ScenarioEdit.list(without), in: text, named: name)
    }
  }

  private static func fileName(_ path: String) -> String {
    let last = path.split(separator: "/").last.map(String.init) ?? path
    return last.hasSuffix(".yaml") ? String(last.dropLast(5)) : last
  }
}
