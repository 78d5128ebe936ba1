import APNs
import Devices
import Timeline

/// What falls due by itself, in the order in which it is done, and how far that has come.
struct Schedule: Sendable {
  /// What falls due by itself.
  enum Work: Hashable, Sendable {
    case phone(DeviceID, PhoneWork)
    /// Some of what is stored for a phone expires.
    case storeLooks(DeviceID)
    /// A call that was delayed leaves.
    case callLeaves(UInt64)
    case opensFirst(DeviceID, app: Int)
    case visitEnds(DeviceID, app: Int, locks: Bool, darkens: Bool, quits: Bool)
    case staleCheck(DeviceID, app: Int)
    /// What a fault has held back reaches the wire, by its number among the held orders. Nothing here has a reference
    /// in it: the agenda moves its entries about, and counting references doubled the time of a match.
    case wire(UInt64)
    /// By its serial number.
    case faultBegins(UInt64)
    case faultEnds(UInt64)
    /// A connection may have been silent for as long as a fault waits for.
    case silence

    /// The device that it names.
    var device: DeviceID? {
      switch self {
      case .phone(let device, _), .storeLooks(let device), .opensFirst(let device, _), .staleCheck(let device, _),
        .visitEnds(let device, _, _, _, _):
        device
      case .callLeaves, .wire, .faultBegins, .faultEnds, .silence: nil
      }
    }
  }

  /// Entries for which there is room from the beginning: what an ordinary device has at most, and 400 MB.
  private static let entriesADevice = 4
  private static let mostEntriesReserved = 8_000_000
  /// So many stale entries are left where they are.
  private static let mostStale = 64

  private var agenda = Agenda<Work>()
  /// When the first falls due: looked at before every push, so it is kept at hand.
  private(set) var soonest = Instant.distantFuture
  /// Entries that nobody waits for any more.
  private var stale = 0
  /// When the work that is being done was due; nil while none is.
  private var working: Instant?

  init(devices: UInt32) { agenda.reserve(min(Self.entriesADevice * Int(devices), Self.mostEntriesReserved)) }

  var count: Int { agenda.count }

  /// When the first falls due; nil where nothing does.
  var nextDue: Instant? { agenda.nextDue }

  /// Adds work, unless it would be due after the end of time.
  ///
  /// - Parameter owner: the device that the work is about, where the work does not name it.
  mutating func add(_ work: Work, of owner: DeviceID? = nil, due: Instant) {
    guard due <= WorldClock.end else { return }
    // Work that plans itself again would otherwise never end.
    let due = working.map { max(due, $0.advanced(nanoseconds: 1)) } ?? due
    agenda.add(work, of: owner ?? work.device, due: due)
    soonest = min(soonest, due)
  }

  /// Takes what is due first, if anything is due by then. Until `finish`, what is added is due later than that.
  mutating func takeNext(by now: Instant) -> (due: Instant, work: Work)? {
    guard let next = agenda.takeDue(by: now) else { return nil }
    working = next.due
    soonest = agenda.nextDue ?? .distantFuture
    return next
  }

  /// What was taken has been done.
  mutating func finish() { working = nil }

  /// Counts entries that nobody waits for any more.
  ///
  /// - Returns: whether they are half of all, so that `dropStale` is to be called.
  mutating func countStale(_ count: Int) -> Bool {
    stale += count
    guard stale > Self.mostStale, 2 * stale > agenda.count else { return false }
    stale = 0
    return true
  }

  /// Drops the entries that nobody waits for any more.
  mutating func dropStale(keeping isWanted: (_ work: Work, _ due: Instant) -> Bool) {
    agenda.keep(where: isWanted)
    soonest = agenda.nextDue ?? .distantFuture
  }
}
