import APNs
import Configuration
import Grammar
import Pushpit
import ScenarioFiles
import Scenarios
import Simulation
import Timeline
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Plays a scenario on all cells of a fleet, as a client of their admin APIs: `pushpit cells run`.
package struct CellRun: Sendable {
  /// The reason why the scenario was not played, not to its end, or has failed.
  package enum Failure: Error {
    /// Nothing has happened: the cells are not those of one fleet, or the scenario is not valid for them.
    case refused(String)
    /// A cell does not answer before the run begins.
    case noServer(String)
    case aborted(String)
    /// By Ctrl-C; the scenario is ended at all cells.
    case interrupted(String)
    /// An expectation failed, as the report shows.
    case failed

    /// The sentence to print besides the report, and the exit code.
    package var exit: (sentence: String?, code: CommandExit) {
      switch self {
      case .refused(let sentence): (sentence, .invalid)
      case .noServer(let sentence): (sentence, .noServer)
      case .aborted(let sentence): (sentence, .unjudged)
      case .interrupted(let sentence): (sentence, .interrupted)
      case .failed: (nil, .no)
      }
    }
  }

  package struct Outcome: Sendable {
    let report: ScenarioReport
    package var passed: Bool { report.passed }
    package var text: String { report.text }
    package var junit: String { JUnit.text([report.suite]) }
    package var json: String {
      JSONValue.object([.init("passed", .bool(passed)), .init("scenarios", .array([report.json]))]).text + "\n"
    }
  }

  /// A long advance of a large fleet takes minutes. A cell that is killed is noticed at once.
  private static let patience: Duration = .seconds(600)
  /// Time between two moves of the clock while nothing is due.
  private static let beat: Duration = .milliseconds(100)
  /// A move covers at most about a hundredth of the scenario, so that no request takes too long.
  private static let moves = 100
  private static let longestFile = 4 << 20

  private let cells: [CellCheck.Member]
  private let path: String
  private let seed: UInt64?
  private let speed: Double

  /// - Parameters:
  ///   - seed: overrides the file's; it must be that of the cells.
  ///   - speed: scenario seconds per real second.
  package init(_ path: String, on check: CellCheck, seed: UInt64?, speed: Double) {
    (self.path, self.seed, self.speed) = (path, seed, speed)
    cells = check.members
  }

  /// The command that plays the scenario again.
  private var command: String {
    let words = ["pushpit", "cells", "run", path, "--cells", cells.map(\.url).joined(separator: ",")]
    return (words + (seed.map { ["--seed", "\($0)"] } ?? []) + (speed == 1 ? [] : ["--speed", "\(speed)"]))
      .map { $0.allSatisfy { $0.isLetter || $0.isNumber || "/._,:-".contains($0) } ? $0 : ShellWords.join([$0]) }
      .joined(separator: " ")
  }

  /// The result; used only on the thread of the main loop.
  private final class Ending {
    var result: Result<Outcome, Failure>?
  }

  /// Plays the scenario to its end, or until SIGINT or SIGTERM; a second signal ends the process at once.
  ///
  /// - Parameter announce: receives how long it takes.
  package func play(_ announce: @escaping @Sendable (String) -> Void) throws(Failure) -> Outcome {
    let main = MainLoop()
    let interruption = Interruption()
    for signal in [SIGINT, SIGTERM] {
      main.onSignal(signal) {
        if interruption.want() { _exit(130) }
      }
    }
    let results = Mailbox<Result<Outcome, Failure>>()
    let ending = Ending()
    let reader = MailboxReader(results, on: main.base) { [unowned main] result in
      ending.result = result
      main.stop()
    }
    let player = LoopThread {
      results.post(Result { () throws(Failure) in try play(unless: interruption, announce) })
    }
    guard let player else { throw .refused("this machine allows no more threads.") }
    main.run()
    player.join()
    return try withExtendedLifetime(reader) { () throws(Failure) in
      guard let result = ending.result else { throw .aborted("the scenario was not played.") }
      return try result.get()
    }
  }

  private func play(unless interruption: Interruption, _ announce: (String) -> Void) throws(Failure) -> Outcome {
    let order = try scenario()
    let calls = CellCalls(cells.map { AdminAPI(url: $0.url) })
    defer { calls.end() }
    func ask(_ order: (Int) -> AdminAPI.Order) -> [CellCalls.Answer] { calls.ask(within: Self.patience, order) }
    let opened = ask { _ in AdminAPI.Order(post: ["v1", "scenarios"], order) }
    var ids: [String] = []
    for answer in opened { ids.append((try? answer.get())?["id"]?.string ?? "") }
    defer { end(ids, calls) }
    let views = try values(opened) { Failure.refused($0) }
    guard let length = views[0]["length"]?.string.flatMap(DurationText.parse), let name = views[0]["name"]?.string,
      let begins = views.compactMap({ $0["nanoseconds"]?.string.flatMap { Int64($0) } }).max(), !ids.contains("")
    else { throw .refused("\(cells[0].url) does not answer like a cell of this version.") }
    let session = AdminAPI.Order(post: ["v1", "sessions"], ["name": .string(name)])
    _ = try values(ask { _ in session }) { Failure.refused($0) }
    announce("playing \(name) on \(cells.count) cells: it takes \(DurationText.write(length / speed)) of real time")
    try move(ids, from: begins, length: length, by: calls, unless: interruption)
    let answers = ask { AdminAPI.Order("v1", "scenarios", ids[$0]) }
    let close = AdminAPI.Order(post: ["v1", "sessions", name, "close"], .object([]))
    _ = try values(ask { _ in close }) { Failure.aborted($0) }
    var parts: [(cell: Int, report: ScenarioReport)] = []
    for (place, view) in try values(answers, or: { Failure.aborted($0) }).enumerated() {
      guard let report = view["report"].flatMap(ScenarioReport.init(part:)) else {
        throw .aborted("\(cells[place].url) does not answer like a cell of this version.")
      }
      parts.append((cells[place].cell.number, report))
    }
    return Outcome(report: .merged(parts, command: command))
  }

  /// The file, with the files that it names.
  private func scenario() throws(Failure) -> JSONValue {
    let text: String
    do {
      text = try TextFile.read(path, limit: Self.longestFile)
    } catch {
      throw .refused("\(path): the scenario cannot be read: \(error).")
    }
    let files = SourceFiles()
    // Only to learn which files it names. Whether it is valid is decided by the cells, which know the apps.
    _ = try? ScenarioFile.parse(text, named: path, files: files)
    var members: [JSONValue.Member] = [
      .init("name", .string(path)), .init("text", .string(text)),
      .init("files", .object(files.all.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })),
    ]
    if let seed { members.append(.init("seed", .string("\(seed)"))) }
    return .object(members)
  }

  // MARK: - Time

  /// Moves the clocks of all cells together: none continues before all have arrived.
  private func move(
    _ ids: [String], from begins: Int64, length: Duration, by calls: CellCalls, unless interruption: Interruption
  ) throws(Failure) {
    let clock = ContinuousClock()
    let start = clock.now
    var (passed, isOver, isFirst) = (Duration.zero, false, true)
    while !isOver {
      if interruption.isWanted {
        throw .interrupted(
          "interrupted at \(DurationText.write(passed)) of the scenario, which is ended at all cells.")
      }
      let elapsed = start.duration(to: clock.now) * speed
      let target = isFirst ? .zero : min(elapsed, passed + length / Self.moves + .milliseconds(1), length)
      var members: [JSONValue.Member] = [.init("to", .string(DurationText.exact(target)))]
      if isFirst { members.append(.init("begins", .string("\(begins)"))) }
      let body = JSONValue.object(members)
      let answers = calls.ask(within: Self.patience) {
        AdminAPI.Order(post: ["v1", "scenarios", ids[$0], "move"], body)
      }
      let views = try values(answers) {
        .aborted("at \(DurationText.write(passed)) of the scenario: \($0)")
      }
      (passed, isFirst) = (target, false)
      isOver = views.allSatisfy { $0["over"]?.truth ?? true }
      if !isOver, target == elapsed { interruption.wait(Self.beat) }
    }
  }

  // MARK: - Requests

  /// All answers, or a sentence about those that are missing. A line that all cells return appears once.
  private func values(
    _ answers: [CellCalls.Answer], or failure: (String) -> Failure
  ) throws(Failure) -> [JSONValue] {
    var values: [JSONValue] = []
    var sentences: [(cell: CellCheck.Member, text: String)] = []
    for (place, answer) in answers.enumerated() {
      switch answer {
      case .success(let value): values.append(value)
      case .failure(let failure): sentences.append((cells[place], failure.description))
      }
    }
    guard let first = sentences.first else { return values }
    if sentences.count == cells.count, Set(sentences.map(\.text)).count == 1 { throw failure(first.text) }
    throw failure(sentences.map { "\($0.cell.cell.words): \($0.text)" }.joined(separator: " "))
  }

  /// Ends the scenario wherever it was opened.
  private func end(_ ids: [String], _ calls: CellCalls) {
    // With a short timeout, because this is also done when a cell does not answer.
    _ = calls.ask(within: .seconds(10)) { place in
      var order = AdminAPI.Order("v1", "scenarios", ids[place])
      order.method = "DELETE"
      return order
    }
  }
}
