import ClientCommands
import Grammar
import Hunting
import ScenarioFiles
import Scenarios
import Simulation
import Timeline
import WireFormats

/// The result of a hunt with a story, for people and for programs.
package struct HuntReport: Sendable {
  let hunt: Hunt
  let story: Story
  /// The times of the finds since the hunt began.
  private let times: [Duration]
  let passed: Duration
  /// True if a signal has ended it.
  let isInterrupted: Bool
  /// Flags with which `pushpit run` plays a find.
  private let flags: [String]

  init(
    _ hunt: Hunt, story: Story, flags: [String], times: [Duration], passed: Duration, isInterrupted: Bool = false
  ) {
    self.flags = flags
    self.isInterrupted = isInterrupted
    self.hunt = hunt
    self.story = story
    self.times = times
    self.passed = passed
  }

  /// True if nothing was found, and the story could be hunted with.
  package var passes: Bool { hunt.finds.isEmpty && hunt.plainFailures.isEmpty && refusal == nil }

  package var hasFinds: Bool { !hunt.finds.isEmpty }

  /// A sentence if the story cannot be hunted with; nil if it can.
  package var refusal: String? {
    switch hunt.refusal {
    case nil where !hunt.hasBegun:
      "\(isInterrupted ? "the hunt was interrupted" : "the time was over") before the story had been played"
        + " \(hunt.options.plainPlays) times without trouble, so nothing was judged"
        + (isInterrupted ? "." : "; give it more with --for.")
    case nil where isUnjudged:
      "no variant was played, so nothing was judged"
        + (hunt.tally.unplayedWords.map { ": \($0)" }
          ?? (isInterrupted ? ", as the hunt was interrupted." : "; give it more time with --for."))
    case nil where wasNeverJudged:
      "trouble struck, but no variant could be judged: in each, people used the app in another way, or at other times,"
        + " than without trouble, a step of the story could not be done, or there were more pushes or calls than"
        + " ledger.pushes keeps (\(story.file.scenario.pushLogEntries))."
    case nil: nil
    case .failsByItself(let why):
      "the story\(story.addition) fails without any trouble, so nothing can be found with it:\n\(why)"
    case .pushesNothing: "the backend pushes nothing in the story, so nothing can go wrong with a push"
    case .differs(let line): "two plays of the story differ, so a failure would prove nothing: \(line)"
    case .failedOnce(let variant, let sentence):
      "the story itself has failed once, and passed when it was played again, so a failure would prove nothing:"
        + " \(sentence)\(Self.last(variant))"
    case .failedLast(let variant, let sentence):
      "the story itself has failed, and the hunt has ended before it was played again, so a failure would prove"
        + " nothing: \(sentence)\(Self.last(variant))"
    case .contaminated(let variant, let sentence):
      "a variant has left something behind in the backend, so that the story itself fails after it:"
        + " \(sentence)\(Self.last(variant))"
    }
  }

  /// True if trouble has struck, and nothing could be said about any variant.
  private var wasNeverJudged: Bool {
    let reaches = hunt.tally.kinds.map(\.reach).filter { $0.struck > 0 }
    return hunt.finds.isEmpty && hunt.plainFailures.isEmpty && !reaches.isEmpty
      && reaches.allSatisfy { $0.judged == 0 && $0.failed == 0 }
  }

  /// True if nothing but the story itself has been played, and was right.
  private var isUnjudged: Bool {
    hunt.finds.isEmpty && hunt.plainFailures.isEmpty && !hunt.tally.kinds.contains { $0.reach.played > 0 }
  }

  private static func last(_ variant: Variant?) -> String {
    variant.map { "\nThe variant before it:\n" + lines($0.perturbations).joined(separator: "\n") } ?? ""
  }

  // MARK: - Finds

  /// A find as a scenario file of its own.
  package struct FindFile: Sendable {
    package let name: String
    package let text: String
  }

  /// The finds, for files in that folder.
  package func files(in folder: String) throws(InputProblem) -> [FindFile] {
    var files: [FindFile] = []
    for find in hunt.finds { files.append(FindFile(name: Self.fileName(find), text: try text(of: find, in: folder))) }
    return files
  }

  /// Expected where nothing that can be expected tells the failure: of a backend that ends, the run is aborted.
  private static let nothing: JSONValue = ["name": "the backend lives to the end", "pushes": [:], "count": "0.."]

  private static func fileName(_ find: HuntFind) -> String {
    let kinds = find.perturbations.map(\.kind).joined(separator: "-and-")
    let words = "\(find.group.oracle) after \(kinds)"
    var name = ""
    for letter in words {
      if letter.isUppercase, name.last?.isLowercase ?? false { name += "-" }
      name += letter.isASCII && (letter.isLetter || letter.isNumber) ? letter.lowercased() : "-"
    }
    let parts = name.split(separator: "-").joined(separator: "-")
    return "\(find.number)-\(parts.prefix(80)).yaml"
  }

  private func text(of find: HuntFind, in folder: String) throws(InputProblem) -> String {
    let text = try story.text(
      find.perturbations, find.cut, seed: find.seed,
      finding: Story.Finding(
        name: "\(story.file.scenario.name): \(find.group.oracle)", expect: [find.expectation ?? Self.nothing],
        folder: folder))
    let head =
      ["Found by pushpit hunt \(story.file.scenario.file): \(find.sentence)"] + Self.lines(of: find)
      + ["Relative paths below start at this folder."]
    return Self.comments(head) + text
  }

  /// Comments of a YAML file. Sentences may have the last output of the backend, with whatever controls it has.
  static func comments(_ texts: [String]) -> String {
    texts.flatMap { $0.split(whereSeparator: \.isNewline) }.map { "# \(TerminalText.clean($0))\n" }.joined()
  }

  private static func lines(of find: HuntFind) -> [String] { lines(find.perturbations) + find.cut.words }

  /// Perturbations as they stand in a scenario file.
  private static func lines(_ perturbations: [Perturbation]) -> [String] {
    perturbations.map { "\($0.place.rawValue): " + $0.entries.map(FlowText.write).joined(separator: ", ") }
  }

  // MARK: - Text

  /// - Parameter folder: where the files of the finds are; nil if they were not written.
  package func text(in folder: String?) -> String {
    var lines: [String] = []
    let tally = hunt.tally
    let reached = tally.kinds.count { $0.reach.struck > 0 }
    lines.append(
      "played \(counted(tally.played, "variant")) in \(time),"
        + " \(tally.withoutNews) without news, \(reached) of \(tally.kinds.count) kinds of failure reached the backend")
    if story.file.backend == nil, story.file.scenario.file != DemoStory.name {
      lines.append("the story has no backend, so these are pushes of Pushpit's own provider")
    }
    if isInterrupted { lines.append(Self.interrupted) }
    if let unplayed = tally.unplayedWords { lines.append(unplayed) }
    for failure in hunt.plainFailures {
      lines.append("FOUND  without any trouble: \(failure.sentence)")
    }
    if !hunt.finds.isEmpty {
      let first = times.first.map { "  (the first after \(Self.seconds($0)))" } ?? ""
      lines.append("FOUND \(hunt.finds.count)\(first)")
    }
    for find in hunt.finds { lines += self.lines(of: find, in: folder) }
    lines += hunt.tally.unsteady.map { "\(ModeEnd.unsteady.rawValue)  \($0.title), which \(Self.unsteady)" }
    lines += hunt.unexamined.map { "\(ModeEnd.unexamined.rawValue)  \($0.title), \(Self.unexamined)" }
    lines += modes.map { "\($0.end.rawValue)  \($0.titles.joined(separator: "; "))" }
    return lines.joined(separator: "\n")
  }

  /// The time that the hunt took, in words.
  var time: String { DurationText.write(.seconds(Int(passed / .seconds(1)))) }

  private static func seconds(_ time: Duration) -> String {
    DurationText.write(.milliseconds(Int(time / .milliseconds(100)) * 100))
  }

  func lines(of find: HuntFind, in folder: String?) -> [String] {
    let words = words(of: find, in: folder)
    let details =
      [find.sentence] + words.trouble + find.timeline.map { Self.short($0) } + ["\(words.counts); \(words.command)"]
    return ["  \(find.number)  \(path(of: find, in: folder))\(words.mode)"] + details.map { "     " + $0 }
  }

  /// A line for each of the last finds, to tell while the hunt goes on.
  package func newest(_ count: Int, in folder: String) -> [String] {
    hunt.finds.suffix(count).map { "found \(path(of: $0, in: folder)): \($0.sentence)" }
  }

  /// The words for a find that texts and pages have in common.
  struct Words {
    /// The perturbations and the cut, as they stand in a scenario file.
    let trouble: [String]
    let counts: String
    /// The known failure mode that it comes from, in parentheses; empty if it was drawn.
    let mode: String
    let command: String
  }

  func words(of find: HuntFind, in folder: String?) -> Words {
    let count = "\(find.perturbations.count) of \(counted(find.drawn, "perturbation"))"
    let cut = find.plays < HuntFind.replays ? ", \(Self.unexamined)" : ""
    let isTold = find.expectationFails == find.expectationPlays
    let file = isTold ? "" : ", what its file expects in \(find.expectationFails) of \(find.expectationPlays)"
    return Words(
      trouble: Self.lines(of: find), counts: "\(count); fails in \(find.fails) of \(find.plays) replays\(file)\(cut)",
      mode: hunt.options.modes.first { $0.number == find.mode }.map { " (known: \($0.title))" } ?? "",
      command: command(path(of: find, in: folder)))
  }

  private func path(of find: HuntFind, in folder: String?) -> String {
    (folder.map { $0 + "/" } ?? "") + Self.fileName(find)
  }

  /// The command that plays a find again: the built-in provider plays only hunts.
  private func command(_ path: String) -> String {
    let file = story.file.scenario.file
    if file == DemoStory.name { return "pushpit hunt --demo --seed \(hunt.options.seed)" }
    if story.file.backend == nil { return "pushpit hunt \(ShellWords.join([file])) --seed \(hunt.options.seed)" }
    return "pushpit " + ShellWords.join(["run", path] + flags)
  }

  private static let longest = 160

  private static func short(_ line: String) -> String {
    line.count > longest ? line.prefix(longest) + "…" : line
  }

  static let interrupted = "the hunt was interrupted by a signal"
  /// Follows the name of a failure that was not examined to the end.
  static let unexamined = "because the hunt ended first"
  /// Follows the name of a failure that did not become a find.
  static let unsteady = "did not come again often enough"

  /// The outcome of a known failure mode, in the words of every form of the report.
  enum ModeEnd: String, CaseIterable {
    case survived = "SURVIVED"
    case failed = "FAILED"
    case unexamined = "NOT EXAMINED"
    case unsteady = "UNSTEADY"
    case unjudged = "NOT JUDGED"
    case unreached = "NOT REACHED"
    case unplayed = "NOT PLAYED"
  }

  private func end(of mode: KnownMode) -> ModeEnd {
    guard !hunt.unplayedModes.contains(mode.number) else { return .unplayed }
    guard let reach = hunt.tally.modes.first(where: { $0.number == mode.number })?.reach else { return .unreached }
    guard reach.failed == 0 else {
      guard reach.failures.isDisjoint(with: hunt.finds.map(\.group)) else { return .failed }
      return reach.failures.isDisjoint(with: hunt.unexamined) ? .unsteady : .unexamined
    }
    if reach.isSurvived { return .survived }
    return reach.struck > 0 ? .unjudged : .unreached
  }

  /// The known failure modes, by what the backend made of them.
  var modes: [(end: ModeEnd, titles: [String])] {
    let ends = hunt.options.modes.map { (end: end(of: $0), title: $0.title) }
    return ModeEnd.allCases.map { end in (end, ends.filter { $0.end == end }.map(\.title)) }
      .filter { !$0.titles.isEmpty }
  }

  // MARK: - JSON

  package func json(in folder: String?) -> String { value(in: folder).text + "\n" }

  package func html(in folder: String?) -> String { HuntPage(report: self, folder: folder).text }

  private func value(in folder: String?) -> JSONValue {
    let tally = hunt.tally
    return [
      "passed": .bool(passes), "interrupted": .bool(isInterrupted), "refusal": JSONValue(refusal),
      "variants": .integer(Int64(tally.played)),
      "withoutNews": .integer(Int64(tally.withoutNews)), "unplayed": JSONValue(tally.unplayedWords),
      "seconds": .double(passed / .seconds(1)),
      "plain": .array(
        hunt.plainFailures.map { ["oracle": .string($0.group.oracle), "sentence": .string($0.sentence)] }),
      "finds": .array(
        zip(hunt.finds, times).map { find, time in
          [
            "number": .integer(Int64(find.number)), "oracle": .string(find.group.oracle),
            "subject": .string(find.group.subject), "sentence": .string(find.sentence),
            "seed": .string("\(find.seed)"), "mode": find.mode.map { .integer(Int64($0)) } ?? .null,
            "perturbations": .array(find.perturbations.map(\.json)), "drawn": .integer(Int64(find.drawn)),
            "cut": .array(find.cut.words.map { .string($0) }),
            "fails": .integer(Int64(find.fails)), "plays": .integer(Int64(find.plays)),
            "expectationFails": .integer(Int64(find.expectationFails)),
            "expectationPlays": .integer(Int64(find.expectationPlays)),
            "variants": .integer(Int64(find.after)), "seconds": .double(time / .seconds(1)),
            "file": .string(path(of: find, in: folder)),
          ]
        }),
      "unplayedModes": .array(hunt.unplayedModes.map { .integer(Int64($0)) }),
      "unexamined": .array(hunt.unexamined.map { .string($0.title) }),
      "unsteady": .array(tally.unsteady.map { .string($0.title) }),
      "kinds": .object(
        tally.kinds.map {
          .init(
            $0.name,
            [
              "played": .integer(Int64($0.reach.played)), "struck": .integer(Int64($0.reach.struck)),
              "failed": .integer(Int64($0.reach.failed)),
            ])
        }),
      "modes": .object(
        tally.modes.map { number, reach in
          let mode = hunt.options.modes.first { $0.number == number }
          return .init(
            "\(number)",
            [
              "title": JSONValue(mode?.title), "outcome": JSONValue(mode.map { end(of: $0).rawValue }),
              "struck": .bool(reach.struck > 0), "judged": .bool(reach.judged > 0), "failed": .bool(reach.failed > 0),
            ])
        }),
    ]
  }
}

extension HuntFailure.Group {
  /// The name of a failure in reports.
  var title: String { "\(oracle): \(subject)" }
}
