import Devices
import Reporting
import Timeline

extension Station {
  /// Where a device's log goes on: before that push and that line of the journal.
  package struct LogCursor: Hashable, Sendable {
    package let push: UInt64
    package let line: UInt64

    package init(push: UInt64, line: UInt64) {
      self.push = push
      self.line = line
    }
  }

  /// Pushes and lines looked at for one page at the most, so that no question holds the world for long.
  private static let mostScanned = 50_000

  /// A device's log, the newest first: what the ledger and the journal keep of it, read together.
  package func log(
    of device: DeviceID, process: LogProcess?, before cursor: LogCursor?, limit: Int
  ) -> (lines: [LogLine], next: LogCursor?) {
    var found: [LogLine] = []
    var position = cursor ?? LogCursor(push: .max, line: .max)
    let pushes = chronicle.ledger.pushes(to: device, before: position.push, limit: Self.mostScanned)
    let lines = chronicle.journal.lines(of: device, before: position.line, limit: Self.mostScanned)
    var push = pushes.startIndex
    var line = lines.startIndex
    while push < pushes.endIndex || line < lines.endIndex {
      guard found.count < limit else { return (found, position) }
      let told: [LogLine]
      if line < lines.endIndex, push == pushes.endIndex || lines[line].isAfter(pushes[push]) {
        position = LogCursor(push: position.push, line: lines[line].number)
        told = self.lines(of: lines[line])
        line += 1
      } else {
        position = LogCursor(push: pushes[push].sequence, line: position.line)
        told = PushStory(pushes[push], pushes[push].firstFate, at: pushes[push].at.world, isFirst: true).lines
        push += 1
      }
      found += told.reversed().filter { $0.process != nil && (process == nil || $0.process == process) }
    }
    return (found, nil)
  }

  private func lines(of line: Journal.Line) -> [LogLine] {
    switch line.entry {
    case .happened(let happening):
      var told = LogLine(line.at, happening.process, happening.name, happening.sentence)
      told.app = line.app
      told.activity = happening.activity
      told.happening = happening
      return [told]
    case .called(let end):
      var told = LogLine(line.at, .app, "call", end.sentence)
      told.app = line.app
      if case .failed(let failure, _) = end.outcome { told.cause = failure.rawValue }
      return [told]
    case .broadcast(let number, let fate):
      var told = LogLine(
        line.at, fate.reaction == nil ? nil : .apsd, "broadcast", "broadcast number \(number): \(fate.words)")
      switch fate {
      case .discarded(let cause): told.cause = cause.rawValue
      case .delivered(.dropped(let cause, _)), .deliveredFromStorage(.dropped(let cause, _)):
        told.cause = cause.rawValue
        told.evidence = cause.evidence
      default: break
      }
      return [told]
    case .settled(let push, let fate):
      guard let record = chronicle.ledger.push(number: push) else { return [] }
      return PushStory(record, fate, at: line.at, isFirst: false).lines
    }
  }
}

extension Journal.Line {
  fileprivate func isAfter(_ push: PushRecord) -> Bool { after >= push.sequence }
}
