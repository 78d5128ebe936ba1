import APNs
import Devices

/// Which events a viewer wants to see: those that match every given value.
///
/// What it shares with other queries is a `Filter`. Two things cannot be part of it: kinds and names of events, because
/// a subject of a `Filter` has no kind, and the session, because only the registry of sessions knows which session
/// hears an event.
package struct ViewerFilter: Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case push
    /// A push that was deferred or stored has another fate.
    case fate
    /// An answer to a push that was sent after it was decided, for example because a fault delayed it.
    case answer
    /// The fate of a broadcast on one phone.
    case broadcast
    /// An app's call to its backend.
    case call
    /// Anything else on a phone.
    case phone
  }

  /// Nil for all kinds.
  package var kinds: Set<Kind>? { didSet { wanted = Wanted(kinds, names) } }
  /// Names of events on phones that are wanted in addition to the kinds.
  package var names: Set<String> = [] { didSet { wanted = Wanted(kinds, names) } }
  package var session: String?
  private let matcher: Matcher?
  private var wanted = Wanted(nil, [])

  /// The kinds of which all events are wanted, as bits, because every push is checked for every viewer.
  private struct Wanted {
    private var bits: UInt8 = 0

    init(_ kinds: Set<Kind>?, _ names: Set<String>) {
      for kind in Kind.allCases where kinds?.contains(kind) ?? names.isEmpty { bits |= Self.bit(kind) }
    }

    func contains(_ kind: Kind) -> Bool { bits & Self.bit(kind) != 0 }

    private static func bit(_ kind: Kind) -> UInt8 {
      switch kind {
      case .push: 1
      case .fate: 2
      case .answer: 4
      case .broadcast: 8
      case .call: 16
      case .phone: 32
      }
    }
  }

  /// - Parameter apps: bundle ids of the fleet.
  package init(_ filter: Filter = Filter(), apps: [String] = []) {
    matcher = filter.isEmpty ? nil : Matcher(filter, apps: apps)
  }

  package var isEmpty: Bool { kinds == nil && names.isEmpty && session == nil && matcher == nil }

  /// - Parameters:
  ///   - kind: the kind of the event; the event itself is read only if its kind does not decide.
  ///   - place: the place before it.
  func matches(_ kind: Kind, after place: EventPlace, _ readers: EventReaders) -> Bool {
    let isWanted = wanted.contains(kind)
    guard isWanted || kind == .phone && !names.isEmpty else { return false }
    if isWanted, session == nil, matcher == nil { return true }
    guard let event = readers.logs.event(after: place) else { return false }
    switch event {
    case .push(let record):
      return (matcher?.matches(record) ?? true) && (session.map { readers.sessions.owner(of: record) == $0 } ?? true)
    case .line(let line):
      if !isWanted {
        guard case .happened(let deviceEvent) = line.entry, names.contains(deviceEvent.name) else { return false }
      }
      return matches(line, readers)
    }
  }

  private func matches(_ line: DeviceEventLog.Line, _ readers: EventReaders) -> Bool {
    if let matcher {
      var subject = LineSubject(line, readers.logs)
      guard matcher.matches(&subject) else { return false }
    }
    return session.map { isHeard(line, by: $0, readers) } ?? true
  }

  /// Another fate or a late answer concerns the session of its push, everything else the sessions that hear the phone.
  private func isHeard(_ line: DeviceEventLog.Line, by session: String, _ readers: EventReaders) -> Bool {
    if let push = line.entry.push {
      return readers.logs.pushLog.push(number: push).map { readers.sessions.owner(of: $0) == session } ?? false
    }
    return line.device.map { readers.sessions.hears(session, $0, app: line.app) } ?? false
  }
}

extension Matcher {
  fileprivate func matches(_ record: PushRecord) -> Bool {
    var subject = LoggedPushSubject(record)
    return matches(&subject)
  }
}

/// An event on a phone, or one about a push after it was answered.
private struct LineSubject: MatchSubject {
  let numbers: MatchNumbers
  let device: DeviceID?
  let fate: Fate?

  init(_ line: DeviceEventLog.Line, _ logs: EventLogs) {
    var numbers = MatchNumbers()
    if let device = line.device { numbers.set(device) }
    // The line of another fate does not say which app its push is for.
    let push = line.app == nil ? line.entry.push : nil
    if let app = line.app ?? push.flatMap({ logs.pushLog.push(number: $0)?.address?.app }) { numbers.set(app: app) }
    self.numbers = numbers
    device = line.device
    fate =
      switch line.entry {
      case .settled(_, let fate), .broadcast(_, let fate): fate
      case .happened, .called, .answered: nil
      }
  }
}

extension ViewedEvent {
  package var kind: ViewerFilter.Kind {
    switch self {
    case .push: .push
    case .line(let line): line.entry.kind
    }
  }
}

extension DeviceEventLog.Entry {
  var kind: ViewerFilter.Kind {
    switch self {
    case .happened: .phone
    case .settled: .fate
    case .answered: .answer
    case .broadcast: .broadcast
    case .called: .call
    }
  }

  /// Number of the push that it is about.
  fileprivate var push: UInt64? {
    switch self {
    case .settled(let push, _), .answered(let push, _): push
    case .happened, .broadcast, .called: nil
    }
  }
}
