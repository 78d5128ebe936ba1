/// A place in the one order of pushes and of events on phones: how many of each come before it.
///
/// Both logs number their entries, and each line of the device event log names the push before it, so the order costs
/// nothing when a push is recorded.
package struct EventPlace: Hashable, Sendable {
  package var pushes: UInt64
  package var lines: UInt64

  package init(pushes: UInt64, lines: UInt64) {
    self.pushes = pushes
    self.lines = lines
  }

  /// The number of the last event before it, counted from 1.
  package var sequence: UInt64 { pushes + lines }
}

/// A push, or an event on a phone.
package enum ViewedEvent: Sendable {
  case push(PushRecord)
  case line(DeviceEventLog.Line)
}

extension EventLogs {
  /// After the newest event.
  package var end: EventPlace { EventPlace(pushes: pushLog.total, lines: deviceEvents.total) }

  /// The earliest place after which everything is still kept.
  package var kept: EventPlace {
    let pushes = pushLog.total - UInt64(pushLog.count)
    let lines = deviceEvents.total - UInt64(deviceEvents.count)
    let byPushes = EventPlace(pushes: pushes, lines: self.lines { $0.after < pushes })
    let byLines = EventPlace(pushes: deviceEvents.pushesBeforeForgotten, lines: lines)
    return byPushes.sequence < byLines.sequence ? byLines : byPushes
  }

  /// The place after the event of that number.
  ///
  /// - Precondition: the number lies between those of `kept` and `end`.
  package func place(after sequence: UInt64) -> EventPlace {
    let lines = self.lines { $0.number + $0.after <= sequence }
    return EventPlace(pushes: sequence - lines, lines: lines)
  }

  /// The next event; nil after the newest.
  package func event(after place: EventPlace) -> ViewedEvent? {
    let line =
      place.lines < deviceEvents.total
      ? deviceEvents.line(aged: Int(clamping: deviceEvents.total - place.lines - 1)) : nil
    if let line, line.after <= place.pushes { return .line(line) }
    guard place.pushes < pushLog.total else { return line.map { .line($0) } }
    return pushLog.record(aged: Int(clamping: pushLog.total - place.pushes - 1)).map { .push($0) }
  }

  /// The kind of the next event; nil after the newest. Costs less than the event.
  func kind(after place: EventPlace) -> ViewerFilter.Kind? {
    let line =
      place.lines < deviceEvents.total
      ? deviceEvents.kind(aged: Int(clamping: deviceEvents.total - place.lines - 1)) : nil
    if let line, line.after <= place.pushes { return line.kind }
    return place.pushes < pushLog.total ? .push : line?.kind
  }

  /// The number of lines that satisfy a condition. The condition must hold for all lines up to some line, and for none
  /// after it.
  private func lines(while holds: (DeviceEventLog.Line) -> Bool) -> UInt64 {
    var low = 0
    var high = deviceEvents.count
    while low < high {
      let middle = (low + high) / 2
      if let line = deviceEvents.line(aged: middle), !holds(line) { low = middle + 1 } else { high = middle }
    }
    return deviceEvents.total - UInt64(low)
  }
}

extension ViewerFilter.Kind {
  /// Moves a place past an event of that kind.
  func pass(_ place: inout EventPlace) { if self == .push { place.pushes += 1 } else { place.lines += 1 } }
}

extension ViewedEvent {
  /// Moves a place past it.
  package func pass(_ place: inout EventPlace) {
    if case .push = self { place.pushes += 1 } else { place.lines += 1 }
  }
}
