import APNs
import Devices
import Reporting
import Timeline

/// The state of reporting: what apps remember, and which calls are open.
package struct ReportRegistry: Sendable {
  /// The configuration of reporting.
  package struct Plan: Hashable, Sendable {
    /// By app number; nil for apps without reports.
    package var apps: [ReportPlan?] = []
    /// Every app is opened once after the world begins, so that its backend knows it. The times are spread over this
    /// duration by the seed.
    package var opensWithin: Duration? = .seconds(10)
    /// How long a person stays in an app to perform an action. Assumed.
    package var visit: Duration = .seconds(30)
    package var trouble = ReportTrouble()

    package init() {}

    var isOn: Bool { apps.contains { $0 != nil } }
  }

  /// A call that was made and has not ended.
  struct Open: Sendable {
    let device: DeviceID
    let app: Int
    let call: OutgoingCall
    let since: Instant
    /// Whether the backend receives it but the app does not get the answer.
    var losesAnswer: Bool
    /// Whether it is sent twice.
    var isDoubled: Bool
    /// The fault that loses its answer; nil if the settings do.
    var fault: String?
    /// Whether it is on the wire; before, it is delayed in the world's time.
    var hasLeft = false
  }

  let plan: Plan
  let isOn: Bool
  private var reporters: [UInt64: Reporter] = [:]
  /// Number of things that are followed, in all apps on all phones.
  private(set) var follows = 0
  /// Maximum number of them: 8 a phone, and many even for a small fleet.
  var mostFollows: Int
  var open: [UInt64: Open] = [:]
  /// Number of open calls that wait for an answer from the network.
  var onWire = 0
  /// Number of calls so far.
  var count: UInt64 = 0
  let draws: Draws

  /// A reaction of an app to the end of one of its calls.
  struct FollowUp: Sendable {
    let appAction: AppAction
    let moment: AppContext
  }

  /// The queue of app reactions. Consequences are appended, so nothing here is recursive.
  enum Turn: Sendable {
    case react(FollowUp)
    /// A call of the app may be sent.
    case leave(AppContext)
  }

  /// In the order of their occurrence.
  var turns: [Turn] = []
  /// Whether the queue is being processed.
  var isInTurns = false
  /// Number of reactions in the current second, by app and phone.
  private var reactionCounts: [UInt64: Int] = [:]
  private var countedSecond: Int64 = 0

  /// Maximum number of reactions of one app on one phone per second. An app that repeats what fails at once would
  /// otherwise never stop.
  package static let mostReactions = 100

  /// - Returns: its number among the reactions of its app, phone and second, from 1.
  mutating func countReaction(_ reaction: FollowUp) -> Int {
    let moment = reaction.moment
    if moment.now.seconds != countedSecond {
      countedSecond = moment.now.seconds
      reactionCounts.removeAll(keepingCapacity: true)
    }
    let key = Self.key(moment.device, moment.app)
    let count = reactionCounts[key, default: 0] + 1
    reactionCounts[key] = count
    return count
  }

  /// Independent random streams.
  struct Draws: Sendable {
    let lost: Chance
    let answerLost: Chance
    let doubled: Chance
    let overtaken: Chance
    let failed: Chance
    let delay: Chance
    let opening: Chance
    let identity: Chance
    let session: Chance

    init(seed: UInt64) {
      let chance = Chance(seed: seed)
      lost = chance.stream(for: "report lost")
      answerLost = chance.stream(for: "report's answer lost")
      doubled = chance.stream(for: "report doubled")
      overtaken = chance.stream(for: "report overtaken")
      failed = chance.stream(for: "report failed")
      delay = chance.stream(for: "report's delay")
      opening = chance.stream(for: "first opening")
      identity = chance.stream(for: "idfv")
      session = chance.stream(for: "user session")
    }
  }

  /// - Parameter devices: number of devices of the fleet.
  init(_ plan: Plan, devices: UInt32, seed: UInt64) {
    self.plan = plan
    mostFollows = max(100_000, 8 * Int(devices))
    isOn = plan.isOn
    draws = Draws(seed: seed)
  }

  static func key(_ device: DeviceID, _ app: Int) -> UInt64 { UInt64(device.number) << 8 | UInt64(app) }

  func reports(_ app: Int) -> ReportPlan? { plan.apps.indices.contains(app) ? plan.apps[app] : nil }

  subscript(moment: AppContext) -> Reporter {
    get { self[moment.device, moment.app] }
    _modify { yield &self[moment.device, moment.app] }
  }

  subscript(device: DeviceID, app: Int) -> Reporter {
    get { reporters[Self.key(device, app)] ?? Reporter() }
    _modify {
      let before = self[device, app].followed.count
      yield &reporters[Self.key(device, app), default: Reporter()]
      follows += self[device, app].followed.count - before
    }
  }
}

/// One app on one phone at one instant.
struct AppContext: Hashable, Sendable {
  let app: Int
  let device: DeviceID
  let now: Instant
}
