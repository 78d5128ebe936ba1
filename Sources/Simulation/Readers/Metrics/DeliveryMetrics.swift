import APNs
import Timeline

/// The number of pushes that have reached each delivery status, by the hour in which they did, as Apple's push console
/// counts them.
///
/// A push counts once for each status that it reaches: one that was stored and delivered later counts as received,
/// stored and delivered from storage.
package struct DeliveryMetrics: Sendable {
  /// The attributes that the pushes of one row share.
  package struct Traits: Hashable, Sendable {
    /// Number of the app in the plan; nil for a push of no app, and for apps after the first hundred.
    package let app: Int?
    package let environment: Environment
    /// Nil if the header is missing or invalid.
    package let type: PushType?
    package let priority: Priority

    /// A number that differs for different traits.
    fileprivate var number: UInt64 {
      var numbers = MatchNumbers()
      if let app { numbers.set(app: app) }
      numbers.set(environment)
      if let type { numbers.set(type) }
      numbers.set(priority)
      return numbers.sent
    }
  }

  /// Pushes of the same traits in one hour.
  package struct Row: Sendable {
    /// Whole hours since 1970.
    package let hour: Int64
    package let traits: Traits
    /// The traits as one number, which is compared faster.
    fileprivate let number: UInt64
    fileprivate var counts = [UInt64](repeating: 0, count: DeliveryStatus.allCases.count)

    fileprivate init(_ traits: Traits, hour: Int64) {
      self.hour = hour
      self.traits = traits
      number = traits.number
    }

    package func count(_ status: DeliveryStatus) -> UInt64 { counts[status.rawValue] }
  }

  /// Documented: the push console shows 30 days.
  static let hoursKept: Int64 = 30 * 24
  /// About 4 MB.
  static let mostRows = 20_000
  private static let mostApps = 100
  private static let hour: Int64 = 3_600_000_000_000

  /// In the order of the hours.
  package private(set) var rows: [Row] = []
  /// The index of the first row of the latest hour.
  private var firstOfHour = 0
  /// The indices of these rows, by their traits.
  private var places: [Traits: Int] = [:]
  /// Number of these rows that are searched one by one: hashing costs more.
  private static let mostSearched = 8
  /// Nanoseconds at which the latest hour begins.
  private var hourBegan: Int64 = .min

  package init() {}

  mutating func count(_ push: PushRecord) {
    let place = row(Self.traits(of: push), at: push.at.world)
    let status = push.firstFate.status
    if status == .refused {
      rows[place].counts[DeliveryStatus.refused.rawValue] += 1
      return
    }
    guard push.isProcessed else { return }
    rows[place].counts[DeliveryStatus.received.rawValue] += 1
    rows[place].counts[status.rawValue] += 1
  }

  /// True if a push may reach a further status: a push that has reached the phone reaches none.
  static func follows(_ push: PushRecord) -> Bool { push.firstFate.isWithAPNs && push.isProcessed }

  /// Counts another fate of a push that the phone had not received until now.
  mutating func count(_ change: PushChange, at now: Instant) {
    guard change.before.fate.isWithAPNs, Self.follows(change.record) else { return }
    rows[row(Self.traits(of: change.record), at: now)].counts[change.fate.status.rawValue] += 1
  }

  private static func traits(of record: PushRecord) -> Traits {
    let facts = record.facts
    return Traits(
      app: facts.address.flatMap { $0.app < mostApps ? $0.app : nil }, environment: facts.push.environment,
      type: facts.push.type, priority: facts.push.priority)
  }

  private mutating func row(_ traits: Traits, at now: Instant) -> Int {
    let passed = now.nanoseconds &- hourBegan
    if passed < 0 || passed >= Self.hour { beginHour(of: now) }
    let number = traits.number
    for place in firstOfHour..<min(rows.count, firstOfHour + Self.mostSearched) where rows[place].number == number {
      return place
    }
    let place = places[traits] ?? rows.count
    if place == rows.count {
      rows.append(Row(traits, hour: hourBegan / Self.hour))
      places[traits] = place
    }
    return place
  }

  private mutating func beginHour(of now: Instant) {
    let number = now.nanoseconds / Self.hour
    hourBegan = number * Self.hour
    places = [:]
    let isKept = { (row: Row) in row.hour > number - Self.hoursKept }
    var first = rows.firstIndex(where: isKept) ?? rows.count
    if rows.count - first > Self.mostRows {
      let oldest = rows[rows.count - Self.mostRows].hour
      first = rows.firstIndex { $0.hour > oldest } ?? rows.count
    }
    rows.removeFirst(first)
    firstOfHour = rows.count
  }
}

extension Fate {
  /// True if the push is stored or on its way.
  fileprivate var isWithAPNs: Bool {
    switch self {
    case .stored, .onTheWay: true
    case .refused, .delivered, .deliveredFromStorage, .discarded, .discardedFromStorage: false
    }
  }
}
