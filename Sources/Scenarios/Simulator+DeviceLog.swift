import APNs
import Devices
import Reporting
import Simulation
import Timeline

extension Simulator {
  /// The place at which a device's log continues: before a push and a line of the device event log.
  package struct LogCursor: Hashable, Sendable {
    package let push: UInt64
    package let line: UInt64

    package init(push: UInt64, line: UInt64) {
      self.push = push
      self.line = line
    }
  }

  /// The state of a search for a page of a device's log.
  package struct LogSearch: Sendable {
    let device: DeviceID
    let process: LogProcess?
    let limit: Int
    /// Newest first.
    package fileprivate(set) var lines: [LogLine] = []
    /// The place at which the next page begins; nil if there is no next page.
    package fileprivate(set) var next: LogCursor?
    package fileprivate(set) var isDone = false
    /// The last line returned.
    fileprivate var told: LogCursor
    /// The last entry checked.
    fileprivate var seen: LogCursor

    package init(of device: DeviceID, process: LogProcess?, before cursor: LogCursor?, limit: Int) {
      self.device = device
      self.process = process
      self.limit = limit
      told = cursor ?? LogCursor(push: .max, line: .max)
      seen = told
    }
  }

  /// Continues through the push log and the device event log, merged, and checks at most `most` entries. Both logs may
  /// have grown since the last call.
  package func look(_ search: inout LogSearch, most: Int = .max) {
    var push = readers.logs.pushLog.age(before: search.seen.push)
    var line = readers.logs.deviceEvents.age(before: search.seen.line)
    var looked = 0
    while looked < most {
      looked += 1
      let record = readers.logs.pushLog.record(aged: push)
      let entry = readers.logs.deviceEvents.line(aged: line)
      let told: [LogLine]
      let place: LogCursor
      if let entry, record.map({ entry.isAfter($0) }) ?? true {
        line += 1
        search.seen = LogCursor(push: search.seen.push, line: entry.number)
        guard entry.device == search.device else { continue }
        place = LogCursor(push: search.told.push, line: entry.number)
        told = search.lines.count < search.limit ? lines(of: entry) : []
      } else if let record {
        push += 1
        search.seen = LogCursor(push: record.sequence, line: search.seen.line)
        guard record.address?.device == search.device, record.answer.rejection == nil else { continue }
        place = LogCursor(push: record.sequence, line: search.told.line)
        told =
          PushStory(
            record, fate: record.firstFate, at: record.at.world, isFirst: true, policy: world.fleet.model.policy
          ).lines
      } else {
        search.isDone = true
        return
      }
      guard search.lines.count < search.limit else {
        search.next = search.told
        search.isDone = true
        return
      }
      search.told = place
      search.lines += told.reversed().filter {
        $0.process != nil && (search.process == nil || $0.process == search.process)
      }
    }
  }

  package func log(
    of device: DeviceID, process: LogProcess?, before cursor: LogCursor?, limit: Int
  ) -> (lines: [LogLine], next: LogCursor?) {
    var search = LogSearch(of: device, process: process, before: cursor, limit: limit)
    look(&search)
    return (search.lines, search.next)
  }

  private func lines(of line: DeviceEventLog.Line) -> [LogLine] {
    switch line.entry {
    case .happened(let deviceEvent):
      var told = LogLine(
        at: line.at, process: deviceEvent.process, event: deviceEvent.name, sentence: deviceEvent.sentence)
      told.app = line.app
      told.activity = deviceEvent.activity
      told.deviceEvent = deviceEvent
      return [told]
    case .called(let end):
      var told = LogLine(at: line.at, process: .app, event: "call", sentence: end.sentence)
      told.app = line.app
      if case .failed(let failure, _) = end.outcome { told.cause = failure.rawValue }
      return [told]
    case .broadcast(let number, let fate):
      var told = LogLine(
        at: line.at, process: fate.reaction == nil ? nil : .apsd, event: "broadcast",
        sentence: "broadcast number \(number): \(fate.words)")
      switch fate {
      case .discarded(let cause), .discardedFromStorage(let cause): told.cause = cause.rawValue
      case .stored(.power(let why, _)): told.cause = why.rawValue
      case .onTheWay(let why, _): told.cause = why.rawValue
      case .delivered(.dropped(let cause, let detail)), .deliveredFromStorage(.dropped(let cause, let detail)):
        told.cause = cause.rawValue
        told.evidence = cause.evidence(ofBroadcast: detail)
      default: break
      }
      return [told]
    // APNs answers, not the phone.
    case .answered: return []
    case .settled(let push, let fate):
      guard let record = readers.logs.pushLog.push(number: push) else { return [] }
      return PushStory(record, fate: fate, at: line.at, isFirst: false, policy: world.fleet.model.policy).lines
    }
  }
}

extension DeviceEventLog.Line {
  fileprivate func isAfter(_ push: PushRecord) -> Bool { after >= push.sequence }
}
