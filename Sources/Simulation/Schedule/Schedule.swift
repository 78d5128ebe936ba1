import APNs
import Devices
import Timeline

/// Scheduled work, in order, and how far it has been done.
struct Schedule: Sendable {
  /// The kinds of scheduled work.
  enum Work: Hashable, Sendable {
    case phone(DeviceID, PhoneWork)
    /// A stored push for a phone may have expired.
    case expiryCheck(DeviceID, number: UInt64)
    /// A delayed call is sent.
    case callLeaves(UInt64)
    case opensFirst(DeviceID, app: Int)
    /// The next devices with first work get entries of their own. By its index.
    case firstWork(Int)
    case visitEnds(DeviceID, app: Int, locks: Bool, darkens: Bool, quits: Bool)
    case staleCheck(DeviceID, app: Int)
    /// A delayed wire command is sent, by its connection and its number. No case holds a reference: the agenda moves
    /// its entries, and counting references doubled the time of a run.
    case wire(ProviderConnectionID, UInt64)
    /// A push reaches its phone, by its number among those on the way.
    case arrival(DeviceID, UInt64)
    /// By serial number.
    case faultBegins(UInt64)
    case faultEnds(UInt64)
    /// A connection may have been idle for as long as a fault waits.
    case idleCheck(ProviderConnectionID)

    /// The device that it names.
    var device: DeviceID? {
      switch self {
      case .phone(let device, _), .expiryCheck(let device, _), .opensFirst(let device, _), .staleCheck(let device, _),
        .arrival(let device, _), .visitEnds(let device, _, _, _, _):
        device
      case .callLeaves, .firstWork, .wire, .faultBegins, .faultEnds, .idleCheck: nil
      }
    }
  }

  /// Number of entries reserved per device: the maximum of an ordinary device, and 400 MB in all.
  private static let entriesADevice = 4
  private static let mostEntriesReserved = 8_000_000
  /// Number of obsolete entries that are tolerated.
  private static let mostObsolete = 64

  private(set) var agenda = Agenda<Work>()
  /// Due time of the first entry; cached, because every push checks it.
  private(set) var soonest = Instant.distantFuture
  /// Number of obsolete entries.
  private(set) var obsolete = 0
  /// Due time of the current work; nil between work.
  private(set) var working: Instant?
  /// Time that the world has reached: nothing is due before it.
  private(set) var reached = Instant.distantPast

  init(devices: UInt32) { agenda.reserve(min(Self.entriesADevice * Int(devices), Self.mostEntriesReserved)) }

  var count: Int { agenda.count }

  /// Due time of the first entry; nil if the schedule is empty.
  var nextDue: Instant? { agenda.nextDue }

  /// The world has come to that time.
  @inline(__always)
  mutating func reach(_ now: Instant) { reached = max(reached, now) }

  /// Adds work, unless it would be due after the end of time. Work for a time that has passed is due now.
  ///
  /// - Parameter owner: the device of the work, if the work does not name it.
  /// - Returns: when it is due; nil if it was not added.
  @discardableResult
  mutating func add(_ work: Work, of owner: DeviceID? = nil, due: Instant) -> Instant? {
    guard due <= WorldClock.end else { return nil }
    // Otherwise, work that schedules itself again would never end.
    let due = max(due, working.map { $0.advanced(nanoseconds: 1) } ?? reached)
    agenda.add(work, of: owner ?? work.device, due: due)
    soonest = min(soonest, due)
    return due
  }

  /// Takes the first entry that is due, if any. Until `finish`, work that is added is due later than that.
  mutating func takeNext(by now: Instant) -> (due: Instant, work: Work)? {
    guard let next = agenda.takeDue(by: now) else { return nil }
    working = next.due
    reach(next.due)
    soonest = agenda.nextDue ?? .distantFuture
    return next
  }

  /// The taken work is done.
  mutating func finish() { working = nil }

  /// Counts entries that have become obsolete.
  mutating func countObsolete(_ count: Int) { obsolete += count }

  /// True if half of the entries are obsolete, so that `dropObsolete` must be called.
  var isMostlyObsolete: Bool { obsolete > Self.mostObsolete && 2 * obsolete > agenda.count }

  /// Drops the obsolete entries.
  mutating func dropObsolete(keeping isWanted: (_ work: Work, _ due: Instant) -> Bool) {
    obsolete = 0
    agenda.keep(where: isWanted)
    soonest = agenda.nextDue ?? .distantFuture
  }
}
