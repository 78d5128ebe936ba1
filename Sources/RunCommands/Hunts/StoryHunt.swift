import ClientCommands
import Dispatch
import Grammar
import Hunting
import Pushpit
import ScenarioFiles
import Scenarios
import Simulation
import Synchronization
import Timeline
import Transport

/// Hunts with a story: plays variant after variant, on several threads, until its time is over.
package final class StoryHunt: Sendable {
  package struct Options: Sendable {
    /// Seed of what is drawn; the story has its own.
    package var seed: UInt64 = 1
    /// Oracles and kinds of findings whose failures are accepted.
    package var accepted: [String] = []
    /// Plays only the known failure modes.
    package var isKnownOnly = false
    /// Parts to leave out, to measure what they are worth: numbers of failure modes, or `modes`.
    package var leftOut: [String] = []
    /// The time by the machine's clock after which it ends; nil for no limit.
    package var time: Duration? = .seconds(600)
    /// Ends at the first find, even if it has no perturbation.
    package var endsAtFirst = false
    /// Number of variants that are played at a time.
    package var jobs = 1
    package var live = LiveOptions()
    /// A bug of the provider of a story without a backend.
    fileprivate var bug: Resender.Bug?

    package init() {}

    fileprivate var hunt: Hunt.Options {
      var hunt = Hunt.Options()
      hunt.seed = seed
      hunt.accepted = Set(accepted)
      hunt.isKnownOnly = isKnownOnly
      hunt.modes = leftOut.contains("modes") ? [] : hunt.modes.filter { !leftOut.contains("\($0.number)") }
      return hunt
    }

    /// - Parameter text: a duration such as `10m`.
    package mutating func setTime(_ text: String) throws(InputProblem) {
      guard let time = DurationText.parse(text), time >= .seconds(1) else {
        throw InputProblem("--for", "a time of at least 1s, such as 10m, not \(Wording.quoted(text)).")
      }
      self.time = time
    }
  }

  /// The state of a hunt, for people who wait.
  package struct Progress: Sendable {
    package let tally: HuntTally
    package let finds: Int
    package let passed: Duration
    package let left: Duration?
    /// Number of known failure modes that are still to be played; nil if it is unknown, or drawn variants are played.
    let modesLeft: Int?

    /// A line for people who wait.
    package var text: String {
      let seconds = max(passed / .seconds(1), 0.1)
      let rate = (Double(tally.played) / seconds * 10).rounded() / 10
      let kinds = tally.kinds.count { $0.reach.struck > 0 }
      let rest = left.map { ", \(DurationText.write(.seconds(max(0, Int($0 / .seconds(1)))))) left" } ?? ""
      let modes = modesLeft.map { ", \($0) of \(tally.modes.count + $0) failure modes left" } ?? ""
      return "\(counted(tally.played, "variant")), \(rate) a second,"
        + " \(counted(kinds, "kind")) of failure reached, found \(finds)\(modes)\(rest)"
    }
  }

  fileprivate struct State {
    var hunt: Hunt
    /// The times of finds, in their order.
    var findTimes: [Duration] = []
    var failure: (any Error)?
    /// Threads that play, and those of them that wait for a result of another.
    var running = 0
    var waiting = 0
    /// The time that the plain plays took together; nil until they are over.
    var plainTime: Duration?
    var isOver = false
    var isAdvised = false
    /// Number of finds that were told.
    var told = 0
  }

  private let shared: StoryPlayer.Shared
  private let state: Mutex<State>
  private let ended = DispatchSemaphore(value: 0)
  private let results = DispatchSemaphore(value: 0)
  private let options: Options
  private let clock = ContinuousClock()
  private let began: ContinuousClock.Instant
  private let stopped: Stop

  /// Set when the hunt is to end.
  private final class Stop: Sendable {
    let isWanted = Atomic(false)
  }

  /// - Throws: `InputProblem` for a file that cannot be a story.
  package init(_ file: ScenarioFile, _ options: Options) throws {
    self.options = options
    began = clock.now
    try ScenarioFile.checkAccepted(options.accepted, place: "--accept")
    var hunt = options.hunt
    hunt.accepted.formUnion(file.accepted)
    hunt.seeds = (0..<Story.seeds).map { file.scenario.seed &+ UInt64($0) }
    state = Mutex(State(hunt: Hunt(hunt)))
    let stopped = Stop()
    self.stopped = stopped
    let driver: StoryPlayer.Driver = file.backend == nil ? .provider(options.bug) : .backend(options.live)
    shared = StoryPlayer.Shared(try Story(file), driver) {
      stopped.isWanted.load(ordering: .relaxed) || SignalNote.isNoted
    }
  }

  /// The hunt of `pushpit hunt --demo`.
  package static func demo(_ options: Options) throws -> StoryHunt {
    var options = options
    options.bug = .forgetsUnanswered
    options.endsAtFirst = true
    // Another bug than the one to be shown: its updates have priority 10, whatever they say.
    options.accepted.append(AuditFinding.Kind.updateBudgetSpent.rawValue)
    return try StoryHunt(try ScenarioFile.parse(DemoStory.text, named: DemoStory.name), options)
  }

  /// Plays until the time is over, everything was played, or it is interrupted.
  ///
  /// - Parameter say: called about once a second.
  package func run(_ say: (Message) -> Void) throws {
    SignalNote.watch()
    let threads = (0..<max(1, options.jobs)).compactMap { _ in
      LoopThread { [self] in work() }
    }
    state.withLock { $0.running += threads.count }
    while state.withLock({ $0.running > 0 }) {
      if ended.wait(timeout: .now() + .milliseconds(200)) == .timedOut { say(.progress(progress)) }
      if let words = takeAdvice() { say(.advice(words)) }
      if let (report, news) = takeNews() { say(.found(report, news: news)) }
      let passed = began.duration(to: clock.now)
      if SignalNote.isNoted || options.time.map({ passed >= $0 }) ?? false {
        end()
      }
    }
    for thread in threads { thread.join() }
    let passed = began.duration(to: clock.now)
    state.withLock { state in
      state.hunt.end()
      if state.findTimes.count < state.hunt.finds.count { state.findTimes.append(passed) }
    }
    if let failure = state.withLock(\.failure) { throw failure }
  }

  /// True if a signal has ended it.
  package var isInterrupted: Bool { SignalNote.isNoted }

  /// Something to tell while it runs.
  package enum Message: Sendable {
    /// From time to time.
    case progress(Progress)
    /// Once, after the plain plays.
    case advice(String)
    /// There are finds that were not reported yet: the last ones of the report.
    case found(HuntReport, news: Int)
  }

  /// The report with the number of new finds; nil without new finds.
  private func takeNews() -> (report: HuntReport, news: Int)? {
    state.withLock { state in
      let news = state.hunt.finds.count - state.told
      state.told = state.hunt.finds.count
      return news > 0 ? (report(state), news) : nil
    }
  }

  /// A sentence on how many variants the time allows, and on what would help if they are few; nil if it is unknown, or
  /// was told.
  private func takeAdvice() -> String? {
    let plain: (Duration, plays: Int)? = state.withLock { state in
      guard !state.isAdvised, let time = state.plainTime else { return nil }
      state.isAdvised = true
      let plays = state.hunt.options.plainPlays
      return (time / plays, plays)
    }
    guard let (plain, plays) = plain, let time = options.time else { return nil }
    let count = max(0, Int((time - plain * plays) / plain))
    let length = DurationText.write(.milliseconds(Int(plain / .milliseconds(1))))
    let words = "a play of the story takes \(length): \(DurationText.write(time)) allow about \(count) variants"
    guard count < Self.fewVariants else { return words }
    let backend = shared.story.file.backend
    let help = [
      backend.map(\.tick) == .some(nil) ? "a tick of the backend (docs/tick.md) makes a match take seconds" : nil,
      backend.map(\.reset) == .some(nil) ? "reset: saves the start of the backend" : nil,
      "a shorter story or more time allows more",
    ]
    return words + ", which is few; " + help.compactMap(\.self).joined(separator: "; ")
  }

  /// With fewer variants, a hunt says little.
  private static let fewVariants = 100

  private var progress: Progress {
    let passed = began.duration(to: clock.now)
    return state.withLock { state in
      Progress(
        tally: state.hunt.tally, finds: state.hunt.finds.count, passed: passed, left: options.time.map { $0 - passed },
        modesLeft: options.isKnownOnly && state.hunt.ground != nil ? state.hunt.unplayedModes.count : nil)
    }
  }

  /// Plays on one thread.
  private func work() {
    let player = StoryPlayer(shared)
    loop: while !stopped.isWanted.load(ordering: .relaxed) {
      switch state.withLock({ $0.next() }) {
      case .over: break loop
      case .wait: results.wait()
      case .play(let variant):
        if variant.purpose != .plain { notePlainTime() }
        guard play(variant, with: player) else { break loop }
      }
    }
    state.withLock { $0.running -= 1 }
    ended.signal()
  }

  private func notePlainTime() {
    let passed = began.duration(to: clock.now)
    state.withLock { if $0.plainTime == nil { $0.plainTime = passed } }
  }

  /// - Returns: false if the hunt is over.
  private func play(_ variant: Variant, with player: StoryPlayer) -> Bool {
    do {
      guard let (result, ground) = try player.play(variant) else { return false }
      give(result, of: variant, ground)
    } catch let problem where variant.purpose != .plain && (problem is InputProblem || problem is StartFailure) {
      // A perturbation that this story cannot have, such as a setting beside one that excludes it; or a port that
      // something else has taken.
      give(VariantResult(problem: "\(problem)"), of: variant, nil)
    } catch {
      state.withLock { if $0.failure == nil { $0.failure = error } }
      end()
      return false
    }
    return true
  }

  private func give(_ result: VariantResult, of variant: Variant, _ ground: HuntingGround?) {
    let passed = began.duration(to: clock.now)
    let waiting = state.withLock { state in
      state.hunt.take(result, of: variant.number, ground: ground)
      while state.findTimes.count < state.hunt.finds.count { state.findTimes.append(passed) }
      if options.endsAtFirst,
        !state.hunt.finds.isEmpty || variant.purpose != .plain && !state.hunt.plainFailures.isEmpty
      {
        state.isOver = true
        stopped.isWanted.store(true, ordering: .relaxed)
      }
      defer { state.waiting = 0 }
      return state.waiting
    }
    for _ in 0..<waiting { results.signal() }
  }

  /// Ends what is being played.
  private func end() {
    stopped.isWanted.store(true, ordering: .relaxed)
    let waiting = state.withLock { state in
      state.isOver = true
      defer { state.waiting = 0 }
      return state.waiting
    }
    for _ in 0..<waiting { results.signal() }
  }

  /// The result so far.
  package var report: HuntReport { state.withLock { report($0) } }

  private func report(_ state: State) -> HuntReport {
    HuntReport(
      state.hunt, story: shared.story, flags: options.live.words, times: state.findTimes,
      passed: began.duration(to: clock.now), isInterrupted: isInterrupted)
  }
}

extension StoryHunt.State {
  fileprivate mutating func next() -> Hunt.Next {
    guard !isOver else { return .over }
    let next = hunt.next()
    if next == .wait { waiting += 1 }
    return next
  }
}
