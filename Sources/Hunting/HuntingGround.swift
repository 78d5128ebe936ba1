import APNs
import Simulation
import Timeline
import WireFormats

/// The offer of a story to perturbations, as its plain play has shown it: what it sends, whom it has, and for how long.
package struct HuntingGround: Hashable, Sendable {
  /// The way in which variants are played.
  package enum Door: Hashable, Sendable {
    /// A scenario on a clock that the player moves.
    case scenario
    /// A test in a session, by the machine's clock, on a server that others may use as well.
    case test
  }

  /// A word of a condition, such as `update` of `event`, and the number of pushes that it matches.
  package struct Word: Hashable, Sendable {
    package let key: String
    package let word: String
    package let count: Int

    package init(_ key: String, _ word: String, count: Int) {
      self.key = key
      self.word = word
      self.count = count
    }
  }

  /// A condition of faults takes no other event.
  private static let events: Set = ["start", "update", "end"]

  package let door: Door
  /// The time in which something can go wrong; the quiet time comes after it.
  package let length: Duration
  /// Ids of the devices, in their order; of a large fleet, the first ones.
  package let devices: [String]
  /// Number of phones in the fleet.
  package var phones: Int
  /// The number of pushes that the backend has sent.
  package var pushes = 0
  /// Words of `event` and `pushType` of these pushes that conditions of faults may have.
  package var words: [Word] = []
  /// Events of profiles with which apps have called the backend.
  package var calls: [String] = []
  /// Kinds of tokens that were pushed to.
  package var tokenKinds: [String] = []
  package var hasBroadcasts = false
  /// True if the backend may be stopped, killed and started.
  package var canRestart = false

  /// True if an accepted push that arrives late or twice changes nothing for a right backend: every push is an update
  /// or the end of a card, which have timestamps. An alert would be shown again, or after the next one.
  var bearsAnyArrival: Bool {
    guard door == .test else { return true }
    return words.filter { $0.key == "event" && ["update", "end"].contains($0.word) }.map(\.count).reduce(0, +) == pushes
  }

  /// Maximum number of times that one perturbation strikes.
  var mostStrikes: Int { door == .test ? 3 : 4 }

  /// Maximum number of strikes of a variant; one that makes the backend wait counts twice. A right backend must be done
  /// before the patience of a test is over, which is some seconds.
  var strikesTogether: Int { door == .test ? 4 : .max }

  package init(door: Door, length: Duration, devices: [String]) {
    self.door = door
    self.length = length
    self.devices = devices
    phones = devices.count
  }

  /// Reads the pushes and calls of the plain play.
  package mutating func take(_ pushes: [WitnessedPush], calls: some Sequence<CallEnd>) {
    self.pushes = pushes.count
    let events = pushes.map { $0.aps?["event"]?.string }.filter { $0.map(Self.events.contains) ?? false }
    words =
      Self.counted("event", events) + Self.counted("pushType", pushes.map { $0.record.push.type?.rawValue })
    self.calls = Set(calls.map(\.event)).sorted()
    tokenKinds = Set(pushes.compactMap { $0.address?.slot.kind.name }).sorted()
  }

  private static func counted(_ key: String, _ words: [String?]) -> [Word] {
    var counts: [String: Int] = [:]
    for word in words.compactMap(\.self) { counts[word, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map { Word(key, $0.key, count: $0.value) }
  }
}
