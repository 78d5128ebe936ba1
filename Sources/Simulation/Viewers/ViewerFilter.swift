import APNs
import Devices

/// Which events a viewer wants to see: those for which all that is said holds.
package struct ViewerFilter: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case push
    /// A push that was deferred or stored has another fate.
    case fate
    /// The fate of a broadcast on one phone.
    case broadcast
    /// An app's call to its backend.
    case call
    /// Anything else on a phone.
    case phone
  }

  /// Nil for all; so are the others.
  package var kinds: Set<Kind>?
  /// Names of events on phones, which are meant in addition to the kinds.
  package var names: Set<String> = []
  package var device: DeviceID?
  /// Its number in the fleet.
  package var app: Int?
  package var session: String?
  /// The words of Apple's console where it has any.
  package var fate: String?

  package init() {}

  package var isEmpty: Bool { self == ViewerFilter() }

  func matches(_ event: ViewedEvent, _ readers: EventReaders) -> Bool {
    guard wants(event) else { return false }
    switch event {
    case .push(let record):
      return (device.map { record.address?.device == $0 } ?? true) && (app.map { record.address?.app == $0 } ?? true)
        && (fate.map { record.fate.words == $0 } ?? true)
        && (session.map { readers.sessions.owner(of: record) == $0 } ?? true)
    case .line(let line):
      return (device.map { line.device == $0 } ?? true) && (app.map { line.app(readers.logs) == $0 } ?? true)
        && (fate.map { line.fate?.words == $0 } ?? true) && (session.map { isHeard(line, by: $0, readers) } ?? true)
    }
  }

  private func wants(_ event: ViewedEvent) -> Bool {
    guard kinds != nil || !names.isEmpty else { return true }
    if kinds?.contains(event.kind) ?? false { return true }
    guard !names.isEmpty, case .line(let line) = event, case .happened(let deviceEvent) = line.entry else {
      return false
    }
    return names.contains(deviceEvent.name)
  }

  /// Another fate concerns the session of its push, everything else the sessions that hear the phone.
  private func isHeard(_ line: DeviceEventLog.Line, by session: String, _ readers: EventReaders) -> Bool {
    if case .settled(let push, _) = line.entry {
      return readers.logs.pushLog.push(number: push).map { readers.sessions.owner(of: $0) == session } ?? false
    }
    return readers.sessions.hears(session, line.device, app: line.app)
  }
}

extension ViewedEvent {
  package var kind: ViewerFilter.Kind {
    switch self {
    case .push: .push
    case .line(let line):
      switch line.entry {
      case .happened: .phone
      case .settled: .fate
      case .broadcast: .broadcast
      case .called: .call
      }
    }
  }
}

extension DeviceEventLog.Line {
  fileprivate var fate: Fate? {
    switch entry {
    case .settled(_, let fate), .broadcast(_, let fate): fate
    case .happened, .called: nil
    }
  }

  /// The line of another fate does not say which app its push is for.
  fileprivate func app(_ logs: EventLogs) -> Int? {
    if case .settled(let push, _) = entry { logs.pushLog.push(number: push)?.address?.app } else { app }
  }
}
