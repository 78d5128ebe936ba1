import APNs
import Devices
import Reporting
import Timeline

/// What the apps of the fleet have to do with their backends: who remembers what, and which calls are out.
package struct ReportRegistry: Sendable {
  /// What all of it is told.
  package struct Plan: Hashable, Sendable {
    /// By the number of the app; nil for apps that report nothing.
    package var apps: [ReportPlan?] = []
    /// Every app is opened once when the world begins, so that the backend knows it. Over this time, drawn by the seed.
    package var opensWithin: Duration? = .seconds(10)
    /// How long a person who opens the app to do something in it stays. Assumed.
    package var visit: Duration = .seconds(30)
    package var trouble = ReportTrouble()

    package init() {}

    var isOn: Bool { apps.contains { $0 != nil } }
  }

  /// A call that has left its app and not ended.
  struct Open: Sendable {
    let device: DeviceID
    let app: Int
    let call: OutgoingCall
    let since: Instant
    /// The backend is to have it, and the app is not to learn that.
    var losesAnswer: Bool
    /// It is to arrive twice.
    var isDoubled: Bool
    /// Which fault loses its answer; nil where the settings do.
    var fault: String?
    /// On the wire; until then it is delayed in the world's own time.
    var hasLeft = false
  }

  let plan: Plan
  let isOn: Bool
  private var reporters: [UInt64: Reporter] = [:]
  var open: [UInt64: Open] = [:]
  /// Of those that are open, the ones that somebody is to answer.
  var onWire = 0
  /// Calls so far.
  var count: UInt64 = 0
  let draws: Draws

  /// What an app is about to do because a call of its ended.
  struct FollowUp: Sendable {
    let appAction: AppAction
    let moment: AppContext
  }

  /// What is to be done next on the side of the apps. What it brings about comes behind it: nothing here calls itself.
  enum Turn: Sendable {
    case react(FollowUp)
    /// A call of the app may leave.
    case leave(AppContext)
  }

  /// In the order in which they come about.
  var turns: [Turn] = []
  /// Whether somebody works through them.
  var isInTurns = false
  /// Of one second: how many there were, by app and phone.
  private var reactionCounts: [UInt64: Int] = [:]
  private var countedSecond: Int64 = 0

  /// Things that one app on one phone does in one second because calls ended; an app that starts again what fails at
  /// once would otherwise never come to an end.
  package static let mostReactions = 100

  /// - Returns: its place among those of its app, phone and second, from 1.
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

  /// Independent sources of chance.
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

  init(_ plan: Plan, seed: UInt64) {
    self.plan = plan
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
    _modify { yield &reporters[Self.key(device, app), default: Reporter()] }
  }
}

/// One app on one phone at one instant.
struct AppContext: Hashable, Sendable {
  let app: Int
  let device: DeviceID
  let now: Instant
}
