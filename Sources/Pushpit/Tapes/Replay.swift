import Admin
import Devices
import Orders
import Simulation
import Timeline

/// Repeats the run on a tape, as fast as possible, and compares the results.
package struct Replay {
  /// Receives the events of each batch, with the world as it was then, and the time.
  package typealias Reader = ([WorldEvent], World, Now) throws -> Void

  /// The result of a replay; the number is the exit code of `pushpit replay`.
  package enum Ending: Int32, Sendable {
    case same = 0
    case differs = 1
    /// No difference as far as the tape goes, but the tape is truncated or damaged.
    case cut = 3
  }

  /// Called with the header, before anything is played.
  package var checkHeader: (TapeHeader) throws -> Void = { _ in }

  private let path: String
  private var frames = TapeFrames()
  private var decoder = TapeDecoder()
  private var player: TapePlayer?
  package private(set) var header: TapeHeader?
  /// Number of bytes up to the end of the last record that was played.
  private var playedBytes: UInt64 = 0
  /// False after a record that could be read only in part, because a recording cannot continue after it.
  private var isReadable = true
  /// True if the bytes after the last record that was played are damaged, not only incomplete.
  private var isDamaged = false

  /// Bytes read at a time.
  private static let portion = 1 << 20

  package init(_ path: String) { self.path = path }

  /// Plays the tape.
  ///
  /// - Parameters:
  ///   - events: receives every event as a line of JSON.
  ///   - progress: receives a line about the progress, after every megabyte of tape.
  /// - Returns: how it ended, and that in words.
  /// - Throws: `ReplayProblem` for a file that is not a tape, or that this program cannot play.
  package mutating func play(
    events: ((String) throws -> Void)? = nil, progress: (String) -> Void = { _ in }
  ) throws -> (ending: Ending, report: String) {
    try play(
      to: { list, world, _ in
        guard let events else { return }
        for event in list { try events(EventText.line(event, world)) }
      }, progress: progress)
  }

  /// Plays the tape, and passes the events as values to a reader.
  package mutating func play(
    to reader: Reader, progress: (String) -> Void = { _ in }
  ) throws -> (ending: Ending, report: String) {
    let file = try TapeInput(path)
    var isOpen = false
    var ended = false
    while true {
      let portion = try file.read(Self.portion)
      if let portion { frames.add(portion[...]) }
      if !isOpen, portion != nil || frames.waiting > 0 { isOpen = try open(isLast: portion == nil) }
      if portion == nil { break }
      guard isOpen else { continue }
      if let found = try playWaiting(&ended, reader) { return found }
      if let player { progress("\(path): \(player.tally.sentence)") }
    }
    guard isOpen else { throw ReplayProblem("\(path) is not a Pushpit tape: it is empty or ends in its first line.") }
    guard !ended else { return report(.same, "same: all results are identical, byte for byte.") }
    let left = frames.waiting
    guard player != nil else {
      return report(.cut, "the tape is truncated within its header: nothing can be played.")
    }
    let part = left > 0 ? ", and \(left) bytes of another" : ""
    return report(
      .cut,
      "same as far as it goes, but the tape is truncated: it ends after \(whole)\(part), without the end record of a"
        + " finished tape.")
  }

  /// The fleet of the tape, once its header was read.
  package var plan: FleetPlan? { player?.world.fleet.plan }

  /// The state after the last record that was played, with which another recording can continue.
  struct Continuation {
    let world: World
    let tally: TapeTally
    let encoder: TapeEncoder
    /// The position in the file where the recording continues.
    let bytes: UInt64
    /// True if the bytes after that position are damaged, not only incomplete.
    let isDamaged: Bool
  }

  /// Nil if nothing was played.
  var continuation: Continuation? {
    guard let player, isReadable else { return nil }
    return Continuation(
      world: player.world, tally: player.tally, encoder: TapeEncoder(after: decoder, calls: player.tally.calls),
      bytes: playedBytes, isDamaged: isDamaged)
  }

  private var tally: TapeTally { player?.tally ?? TapeTally() }

  private mutating func open(isLast: Bool) throws -> Bool {
    guard frames.waiting >= TapeFrames.opening.utf8.count || isLast else { return false }
    do throws(UnplayableTape) {
      try frames.open()
      return true
    } catch {
      switch error {
      case .noTape:
        throw ReplayProblem(
          "\(path) is not a Pushpit tape: a tape must begin with \"\(TapeFrames.opening.dropLast())\".")
      case .otherFormat(let format, let program):
        let writer = program.map { "Pushpit \($0), which wrote it" } ?? "the program that wrote it"
        throw ReplayProblem(
          "\(path) is a tape of format \(format), but this program (\(Version.text)) knows only format"
            + " \(TapeFrames.format); replay it with \(writer)."
        )
      }
    }
  }

  /// Plays the complete records that have been read; returns a value at the end.
  private mutating func playWaiting(
    _ ended: inout Bool, _ reader: Reader
  ) throws -> (ending: Ending, report: String)? {
    while true {
      switch frames.next() {
      case .unfinished: return nil
      case .damaged: return damaged("a checksum is wrong")
      case .record(let payload):
        guard !ended else { return damaged("records follow the end record") }
        let record: TapeDecoder.Record
        do throws(TapeCorruption) {
          record = try decoder.read(payload)
        } catch {
          isReadable = false
          return damaged(error.sentence)
        }
        switch record {
        case .header(let header):
          guard player == nil else { return damaged("a second header") }
          self.header = header
          try checkHeader(header)
          do throws(ReplayProblem) {
            player = TapePlayer(world: try WorldSource(header).world(at: header.began))
          } catch {
            throw ReplayProblem("\(path), written by Pushpit \(header.program), cannot be played: \(error)")
          }
          playedBytes = frames.taken
        case .calls(let calls):
          if let found = try play(calls, reader) { return found }
          playedBytes = frames.taken
        case .end(let calls):
          guard player != nil else { return damaged("the end record precedes its header") }
          guard calls == tally.calls else { return damaged("it should have \(calls) calls but has \(tally.calls)") }
          ended = true
        }
      }
    }
  }

  private mutating func play(
    _ calls: [TapeCall], _ reader: Reader
  ) throws -> (ending: Ending, report: String)? {
    guard player != nil else { return damaged("calls precede its header") }
    var failure: (any Error)?
    let difference = player?.play(calls) { list, world, now in
      guard failure == nil else { return }
      do {
        try reader(list, world, now)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return difference.map { report(.differs, $0.text) }
  }

  /// The readable part of the tape, in words.
  private var whole: String {
    "\(tally.records) complete \(tally.records == 1 ? "record" : "records") of calls (\(frames.taken) bytes)"
  }

  private mutating func damaged(_ why: String) -> (ending: Ending, report: String) {
    isDamaged = true
    let far = player == nil ? "nothing of it can be played" : "same as far as it goes"
    return report(
      .cut,
      "\(far), but the tape is damaged after \(whole): \(why).")
  }

  private func report(_ ending: Ending, _ sentence: String) -> (ending: Ending, report: String) {
    let by = header.map { $0.program == Version.text ? "" : ", written by Pushpit \($0.program)" } ?? ""
    return (ending, "\(path)\(by): \(tally.sentence)\n\(sentence)")
  }
}
