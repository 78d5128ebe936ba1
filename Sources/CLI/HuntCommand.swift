import ArgumentParser
import ClientCommands
import Pushpit
import RunCommands
import ScenarioFiles

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `pushpit hunt`
struct HuntCommand: ParsableCommand, BackendWordsCommand {
  static let configuration = CommandConfiguration(
    commandName: "hunt", abstract: "Search for the smallest failure that breaks your backend.",
    discussion: """
      The story is a scenario that your backend passes. It is played again and again with faults, actions of phones \
      and restarts, drawn from the known failure modes and from the grammar of faults. What fails is played again, \
      made as small as possible, and written as a scenario that fails with pushpit run. Before the quiet time at the \
      end all faults are over, so that a right backend can always recover; a story without quiet: gets two minutes.

        pushpit hunt match.yaml --for 10m
        pushpit hunt match.yaml --known       only the known failure modes, once each

      A backend with a tick plays a whole match in a second (docs/tick.md); one with reset is started only once. \
      Ctrl-C ends the hunt with what there is. Arguments after -- are appended to the backend's command.

      Exit codes: 0 nothing was found, 1 something was, 2 the story is not a valid scenario, 3 nothing can be judged: \
      the story fails by itself, two plays of it differ, the time was too short, or no play with trouble could be \
      judged; 130 interrupted by a signal.
      """)

  @Argument(help: ArgumentHelp("The story: a scenario file with a backend.", valueName: "file"))
  var file: String?
  @Flag(help: "Show a hunt that needs no backend: the built-in provider, with a bug.")
  var demo = false
  @Option(name: .customLong("for"), help: ArgumentHelp("End after this time. Default: 10m.", valueName: "time"))
  var duration: String?
  @Flag(help: "Play only the known failure modes, once each.")
  var known = false
  @Flag(help: "End at the first find.")
  var first = false
  @Option(parsing: .unconditional, help: ArgumentHelp("Seed of the story and of what is drawn.", valueName: "n"))
  var seed: UInt64?
  @Option(help: ArgumentHelp("Variants that are played at a time.", valueName: "n"))
  var jobs = 1
  @Option(help: ArgumentHelp("Folder for the scenarios that fail.", valueName: "folder"))
  var into = "hunt"
  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Accept the failures of an oracle, or a kind of finding; may be repeated.", valueName: "word"))
  var accept: [String] = []
  /// For Benchmarks/hunt.py.
  @Option(parsing: .singleValue, help: .private)
  var leaveOut: [String] = []
  @OptionGroup var backend: BackendOptions
  @Option(help: ArgumentHelp("Write the report as JUnit XML; - for standard output.", valueName: "file|-"))
  var junit: String?
  @Option(help: ArgumentHelp("Write the report as JSON; - for standard output.", valueName: "file|-"))
  var json: String?

  @OptionGroup var pages: ReportFiles

  private static let mostJobs = 64
  /// Between two lines of progress in a log; a terminal shows it all the time.
  private static let interval: Duration = .seconds(60)

  func validate() throws {
    guard [json, junit].count(where: { $0 == OutputFile.standardOutput }) < 2 else {
      throw ValidationError("Only one of --junit and --json can be - (standard output).")
    }
    guard !demo || file == nil else {
      throw ValidationError("--demo hunts with a story of its own; leave out \(file ?? "the file"), or --demo.")
    }
    guard demo || file != nil else {
      throw ValidationError("Name a scenario file, such as Examples/cricket/match.yaml, or use --demo.")
    }
    guard (1...Self.mostJobs).contains(jobs) else {
      throw ValidationError("--jobs must be a number from 1 to \(Self.mostJobs).")
    }
  }

  func run() throws { try play(extra: []) }

  func play(extra: [String]) throws {
    var options = StoryHunt.Options()
    if known { options.time = nil }
    if let duration { try options.setTime(duration) }
    options.jobs = jobs
    options.endsAtFirst = first
    options.live = try backend.live(extra)
    options.seed = seed ?? options.seed
    options.accepted = accept
    options.leftOut = leaveOut
    options.isKnownOnly = known
    let folder = try HuntFolder(into)
    let inputs = file.map { [$0] } ?? []
    let cases = try junit.map { try OutputFile($0, for: "--junit", reading: inputs) }
    let claimed = try pages.claimed(reading: inputs)
    let output = try json.map { try OutputFile($0, for: "--json", reading: inputs) }
    let hunt =
      try file.map { try StoryHunt(try ScenarioFile.read($0, seed: seed, live: options.live), options) }
      ?? StoryHunt.demo(options)
    let isTerminal = isatty(STDERR_FILENO) == 1
    var told = Duration.zero
    do {
      try hunt.run { message in
        switch message {
        case .progress(let progress) where isTerminal: Terminal.replaceLine(progress.text)
        case .progress(let progress):
          guard progress.passed - told >= Self.interval else { return }
          told = progress.passed
          Terminal.say(progress.text)
        case .advice(let words):
          if isTerminal { Terminal.replaceLine("") }
          Terminal.say(words)
        // Written at once, so that a hunt that is killed leaves what it has found.
        case .found(let report, let news):
          try? folder.write(report.files(in: into))
          if isTerminal { Terminal.replaceLine("") }
          for line in report.newest(news, in: into) { Terminal.say(TerminalText.lines(line)) }
        }
      }
    } catch let failure as StartFailure where !failure.isOfInput {
      throw CommandFailure("\(failure)", .unjudged)
    }
    if isTerminal { Terminal.replaceLine("") }
    let report = hunt.report
    // The text comes last: nobody may read it any more, which ends the program.
    try Self.all([
      { try claimed.write(json: report.json(in: into), html: report.html(in: into)) },
      { try output?.write(report.json(in: into)) }, { try cases?.write(report.junit(in: into)) },
      { try folder.write(try report.files(in: into)) },
      {
        guard hunt.isInterrupted || report.refusal == nil || report.hasFinds else { return }
        let text = TerminalText.lines(report.text(in: into))
        if [json, junit].contains(OutputFile.standardOutput) { Terminal.say(text) } else { Terminal.announce(text) }
      },
    ])
    if hunt.isInterrupted { throw ExitCode(.interrupted) }
    if let refusal = report.refusal { throw CommandFailure(TerminalText.lines(refusal), .unjudged) }
    if !report.passes { throw ExitCode(.no) }
  }

  /// Does all of these, and fails as the last that failed: what one disk cannot take is no reason to lose the rest.
  private static func all(_ writes: [() throws -> Void]) throws {
    var failure: (any Error)?
    for write in writes {
      do { try write() } catch {
        if let failure { Terminal.say("Error: \(failure)") }
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
