import APNs
import Devices
import Timeline
import WireFormats

/// Finds the session of a push or a phone, at a cost that does not grow with the number of open sessions.
struct SessionIndex: Sendable {
  /// A class because filters are large, and an entry is looked up for each push.
  private final class Entry: Sendable {
    let place: Int
    let scope: Filter
    let matcher: Matcher
    /// The criteria left to check after it was found by its device or its key; nil if there are none.
    let rest: Matcher?

    init(_ place: Int, _ scope: Filter) {
      (self.place, self.scope) = (place, scope)
      matcher = Matcher(scope)
      var rest = scope
      if scope.devices != nil { rest.devices = nil } else { rest.keys = nil }
      self.rest = rest.isEmpty ? nil : Matcher(rest)
    }
  }

  /// Each session has one entry: under its devices if it names some, otherwise under its keys.
  private var byDevice = NumberTable<[Entry]>()
  private var byKey = NumberTable<[Entry]>()
  /// Sessions identified by topics alone (there are no more of them than topics), and the session without criteria.
  private var others: [Entry] = []
  /// All scopes, by index.
  private var scopes: [Entry?] = []
  private var asksForTopics = false
  /// Sessions without devices whose pushes have reached a phone.
  private var reached: [DeviceID: [Int]] = [:]

  /// Maximum number of phones remembered as reached, so that a large fleet does not fill the memory.
  static let mostReached = 200_000

  mutating func add(_ place: Int, _ scope: Filter) {
    let entry = Entry(place, scope)
    while scopes.count <= place { scopes.append(nil) }
    scopes[place] = entry
    if let devices = scope.devices {
      let alone = [entry]
      for device in devices { byDevice.append(alone, to: UInt64(device.number)) }
    } else if let keys = scope.keys {
      let alone = [entry]
      for key in keys { byKey.append(alone, to: UInt64(key.number)) }
    } else {
      others.append(entry)
    }
    asksForTopics = scopes.contains { $0?.scope.topics != nil }
  }

  mutating func remove(_ place: Int, _ scope: Filter, reached phones: [DeviceID]) {
    func others(_ list: [Entry]?) -> [Entry]? {
      let left = list?.filter { $0.place != place } ?? []
      return left.isEmpty ? nil : left
    }
    for device in scope.devices ?? [] { byDevice[UInt64(device.number)] = others(byDevice[UInt64(device.number)]) }
    for key in scope.keys ?? [] { byKey[UInt64(key.number)] = others(byKey[UInt64(key.number)]) }
    self.others = others(self.others) ?? []
    scopes[place] = nil
    for device in phones {
      let left = reached[device]?.filter { $0 != place } ?? []
      reached[device] = left.isEmpty ? nil : left
    }
    asksForTopics = scopes.contains { $0?.scope.topics != nil }
  }

  // MARK: - Pushes

  /// The session that a push belongs to. There is at most one, because scopes of open sessions do not overlap.
  func owner(of record: PushRecord) -> Int? {
    let push = record.push
    let traits = PushTraits(record)
    var subject = ScopedPushSubject(traits, push)
    if let device = traits.device, let found = Self.found(byDevice[UInt64(device.number)], &subject) { return found }
    if let key = traits.key, !byKey.isEmpty, let found = Self.found(byKey[UInt64(key)], &subject) { return found }
    for entry in others where entry.matcher.matches(&subject) { return entry.place }
    if traits.isWhole, !asksForTopics || push.topicRange != nil { return nil }
    // Rejected before all of it was read. That is rare, so checking every session is acceptable.
    var told = ScopedPushSubject(record.facts.traits ?? traits, push)
    var likely: [Int] = []
    for place in scopes.indices {
      switch scopes[place]?.matcher.scopeMatch(&told) ?? .foreign {
      case .sure: return place
      case .likely: likely.append(place)
      case .foreign: break
      }
    }
    // An ambiguous push belongs to no session, so that no test sees a push that may belong to another.
    return likely.count == 1 ? likely[0] : nil
  }

  private static func found(_ entries: [Entry]?, _ push: inout ScopedPushSubject) -> Int? {
    guard let entries else { return nil }
    for entry in entries where entry.rest?.matches(&push) ?? true { return entry.place }
    return nil
  }

  /// The first session with which a scope overlaps.
  func overlapping(_ scope: Filter) -> Int? {
    var others = scope
    others.devices = nil
    guard let devices = scope.devices else { return scopes.firstIndex { $0?.scope.overlaps(scope) ?? false } }
    // Sessions that name other devices do not overlap, so they need not be asked.
    var rivals = Set(scopes.indices.filter { scopes[$0].map { $0.scope.devices == nil } ?? false })
    for device in devices { for entry in byDevice[UInt64(device.number)] ?? [] { rivals.insert(entry.place) } }
    return rivals.sorted().first { scopes[$0]?.scope.overlaps(others) ?? false }
  }

  // MARK: - Phones

  /// The sessions that name a phone.
  func naming(_ device: DeviceID) -> [Int] { (byDevice[UInt64(device.number)] ?? []).map(\.place) }

  /// True if a session names the phone.
  func names(_ device: DeviceID) -> Bool { byDevice[UInt64(device.number)] != nil }

  /// True if the session at this index names its phones.
  func namesDevices(_ place: Int) -> Bool { scopes[place]?.scope.devices != nil }

  /// A push of a session has reached a phone. True for the first time.
  mutating func reach(_ device: DeviceID, _ place: Int) -> Bool {
    guard let present = reached[device] else {
      guard reached.count < Self.mostReached else { return false }
      reached[device] = [place]
      return true
    }
    guard !present.contains(place) else { return false }
    reached[device]?.append(place)
    return true
  }

  /// The sessions that receive events of a phone: those that name it, and those whose pushes have reached it. For an
  /// event of an app, given by its bundle id, sessions that name only other apps are excluded.
  func listeners(_ device: DeviceID, bundleID: String?) -> [Int] {
    var places: [Int] = []
    func add(_ entry: Entry, isReached: Bool) {
      if Self.hears(entry, bundleID, isReached: isReached) { places.append(entry.place) }
    }
    for entry in byDevice[UInt64(device.number)] ?? [] { add(entry, isReached: true) }
    let reached = self.reached[device]
    for entry in others { add(entry, isReached: entry.scope.takesAll || (reached?.contains(entry.place) ?? false)) }
    for place in reached ?? [] {
      guard let entry = scopes[place], entry.scope.keys != nil, entry.scope.devices == nil else { continue }
      add(entry, isReached: true)
    }
    return places
  }

  /// True if a session is one of the listeners.
  func hears(_ place: Int, _ device: DeviceID, bundleID: String?) -> Bool {
    guard scopes.indices.contains(place), let entry = scopes[place] else { return false }
    if entry.scope.devices != nil {
      return naming(device).contains(place) && Self.hears(entry, bundleID, isReached: true)
    }
    let isReached = entry.scope.takesAll || (reached[device]?.contains(place) ?? false)
    // A session of keys hears of a phone only once its pushes have reached it.
    return (isReached || entry.scope.keys == nil) && Self.hears(entry, bundleID, isReached: isReached)
  }

  private static func hears(_ entry: Entry, _ bundleID: String?, isReached: Bool) -> Bool {
    guard let topics = entry.scope.topics else { return isReached }
    // An event of the whole phone concerns an app's session once its pushes have reached the phone.
    return bundleID.map { id in topics.contains { $0.bundleID == id } } ?? isReached
  }
}

extension NumberTable {
  /// A number without a list gets this one, so that a session of thousands of devices has one list.
  fileprivate mutating func append<Element>(_ list: [Element], to number: UInt64) where Value == [Element] {
    self[number] = removeValue(forKey: number).map { $0 + list } ?? list
  }
}
