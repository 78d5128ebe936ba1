import APNs
import Configuration
import Devices
import Grammar
import ScenarioFiles
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The files of users: what cannot be read is refused with a place and a sentence, and what can is put to use.
enum FileTargets {
  /// The number of devices that are used of a fleet, however large the file claims that it is.
  private static let mostDevices: UInt32 = 20

  static func scenario(_ bytes: [UInt8]) throws(FuzzFinding) {
    let text = String(decoding: bytes, as: UTF8.self)
    let file: ScenarioFile
    do throws(InputProblem) {
      file = try ScenarioFile.parse(text, named: "a.yaml", files: SourceFiles(recorded: [:]))
    } catch {
      return try judge(error, "a.yaml")
    }
    let scenario = file.scenario
    // Whoever asks for a long story gets one; a short one is told.
    guard scenario.plan.devices <= mostDevices, scenario.length <= .seconds(3600),
      scenario.steps.reduce(0, { $0 + min($1.times, 1000) }) <= 100
    else { return }
    let report = ScenarioPlayer.play(scenario)
    let again = ScenarioPlayer.play(scenario)
    try FuzzFinding.require("\(report)" == "\(again)", "a scenario went otherwise the second time")
  }

  static func settings(_ bytes: [UInt8]) throws(FuzzFinding) {
    var sources = SettingSources(flags: [], apps: [], profiles: [], keys: [])
    sources.config = .init(name: "a.yaml", value: String(decoding: bytes, as: UTF8.self))
    sources.files = SourceFiles(recorded: [:])
    try use(sources, "a.yaml")
  }

  static func profile(_ bytes: [UInt8]) throws(FuzzFinding) {
    var sources = SettingSources(flags: [], apps: [], profiles: ["a.yaml"], keys: [])
    sources.files = SourceFiles(recorded: ["a.yaml": String(decoding: bytes, as: UTF8.self)])
    try use(sources, "a.yaml")
  }

  private static func use(_ sources: SettingSources, _ name: String) throws(FuzzFinding) {
    var settings: Settings
    do throws(InputProblem) {
      settings = try Settings(sources)
    } catch {
      return try judge(error, name)
    }
    settings.devices = min(settings.devices, mostDevices)
    let plan = settings.plan
    let world = World(
      plan, rulebook: settings.rulebook, channels: settings.channelRules, keyRing: VirtualProvider.keyRing(plan),
      at: Town.began)
    var clock = WorldClock()
    clock.stand(at: Town.began)
    var simulator = Simulator(world: world, clock: clock, pushLogCapacity: 10, audits: settings.audits)
    for _ in 0..<3 {
      clock.advance(by: .seconds(20))
      simulator.world.advance(to: clock.now(wall: Town.began))
      _ = simulator.settle()
    }
    for number in 0..<plan.devices { _ = simulator.world.screen(of: DeviceID(number), at: Town.began) }
  }

  private static func judge(_ problem: InputProblem, _ name: String) throws(FuzzFinding) {
    try FuzzFinding.require(!problem.sentence.isEmpty, "a file was refused without a word")
    try FuzzFinding.require(
      problem.place.contains(name), "a file was refused at \(problem.place): \(problem.sentence)")
    try FuzzFinding.require(problem.sentence.utf8.count < 1 << 16, "a sentence of \(problem.sentence.utf8.count) bytes")
  }
}
