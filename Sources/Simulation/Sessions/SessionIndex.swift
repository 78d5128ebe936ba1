import APNs
import Devices
import Timeline
import WireFormats

/// Finds the session of a push or a phone, at a cost that does not grow with the number of open sessions.
struct SessionIndex: Sendable {
  private struct Entry: Sendable {
    let place: Int
    let scope: Filter
    let matcher: Matcher
  }

  /// Each session has one entry: under its devices if it names some, otherwise under its keys.
  private var byDevice: [DeviceID: [Entry]] = [:]
  private var byKey: [Int: [Entry]] = [:]
  /// Sessions identified by topics alone, of which there are no more than topics; and the session without criteria.
  private var others: [Entry] = []
  /// All scopes, by index.
  private var scopes: [Entry?] = []
  private var asksForTopics = false
  /// Sessions without devices whose pushes have reached a phone.
  private var reached: [DeviceID: [Int]] = [:]

  /// Maximum number of phones remembered as reached, so that a large fleet does not fill the memory.
  static let mostReached = 200_000

  mutating func add(_ place: Int, _ scope: Filter) {
    let entry = Entry(place: place, scope: scope, matcher: Matcher(scope))
    while scopes.count <= place { scopes.append(nil) }
    scopes[place] = entry
    if let devices = scope.devices {
      for device in devices { byDevice[device, default: []].append(entry) }
    } else if let keys = scope.keys {
      for key in keys { byKey[key.number, default: []].append(entry) }
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
    for device in scope.devices ?? [] { byDevice[device] = others(byDevice[device]) }
    for key in scope.keys ?? [] { byKey[key.number] = others(byKey[key.number]) }
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
    if let device = traits.device, !byDevice.isEmpty,
      let found = Self.sure(byDevice[device], &subject)
    {
      return found
    }
    if let key = traits.key, !byKey.isEmpty, let found = Self.sure(byKey[key], &subject) { return found }
    if !others.isEmpty, let found = Self.sure(others, &subject) { return found }
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

  private static func sure(_ entries: [Entry]?, _ push: inout ScopedPushSubject) -> Int? {
    guard let entries else { return nil }
    for entry in entries where entry.matcher.matches(&push) { return entry.place }
    return nil
  }

  // MARK: - Phones

  /// Whether a session names the phone.
  func names(_ device: DeviceID) -> Bool { byDevice[device] != nil }

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
      if let topics = entry.scope.topics {
        // An event of the whole phone concerns an app's session once its pushes have reached the phone.
        let isMeant = bundleID.map { id in topics.contains { $0.bundleID == id } } ?? isReached
        if isMeant { places.append(entry.place) }
      } else if isReached {
        places.append(entry.place)
      }
    }
    for entry in byDevice[device] ?? [] { add(entry, isReached: true) }
    let reached = self.reached[device]
    for entry in others { add(entry, isReached: entry.scope.takesAll || (reached?.contains(entry.place) ?? false)) }
    for place in reached ?? [] {
      guard let entry = scopes[place], entry.scope.keys != nil, entry.scope.devices == nil else { continue }
      add(entry, isReached: true)
    }
    return places
  }
}
