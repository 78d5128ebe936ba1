import Devices
import Reporting
import Simulation
import Timeline

/// Questions about what people have done, and what the backend may have heard of it.
extension Witness {
  /// The calls of a person's apps that the backend has received.
  struct Told: Sendable {
    /// The acts of the person, in their order.
    var actions: [(event: String, at: Instant)] = []
    /// Number of calls that an app makes when it is opened, also of those that the backend may not have heard of.
    var visits = 0
    /// Numbers of openings, and of reports about what the backend may push, by event.
    var reports: [String: Int] = [:]
  }

  static func told(_ calls: [CallEnd], _ users: [InstallID: UserID]) -> [UserID: Told] {
    var told: [UserID: Told] = [:]
    for end in calls where end.mayHaveArrived {
      guard let user = users[InstallID(device: end.device, app: end.app)] else { continue }
      // Trouble may make a person open an app more often than without trouble. It must not be opened less often.
      if end.isVisit { told[user, default: Told()].visits += 1 }
      if end.isOfPerson, !end.isOpening {
        let event = end.outcome.isSuccess ? end.event : "\(end.event), failed"
        told[user, default: Told()].actions.append((event, end.at))
      } else if end.outcome.isSuccess, end.isVisit {
        told[user, default: Told()].reports[end.event, default: 0] += 1
      }
    }
    return told
  }

  /// True if the clock has leapt in that time: what comes only now and then may come again, and news may be too old.
  private func hasLeapt(after begin: Instant, until end: Instant) -> Bool {
    let (from, to) = (passed(at: begin), passed(at: end))
    return leaps.contains { $0.at <= to && from <= $0.at + $0.length }
  }

  /// True if the backend may have had a reason to push less to a person than in another play: the person has opened
  /// the app more often, on any phone; the clock has leapt over the time for something; or a fault has struck calls, so
  /// that the backend may take an app for open that was left, or another phone for the one in use.
  func mayOweLess(to user: UserID, than plain: Witness) -> Bool {
    let hasStruckCalls = faults.contains { fault in
      if case .reports = fault.consequence { struckFaults.contains(fault.name) } else { false }
    }
    return hasStruckCalls || leaps != plain.leaps || told[user]?.visits ?? 0 > plain.told[user]?.visits ?? 0
  }

  /// True if the backend was told by the apps of a person's phones at least what it was told in another play, and was
  /// asked for the same by everybody: only then must it do the same.
  func wasToldAsMuch(of user: UserID, as plain: Witness) -> Bool {
    guard !hasReorderedCalls, wasAskedForTheSame(as: plain) else { return false }
    let (mine, theirs) = (told[user]?.reports ?? [:], plain.told[user]?.reports ?? [:])
    return theirs.allSatisfy { mine[$0.key] ?? 0 >= $0.value }
  }

  /// True if people did the same in both plays, each in the same order and at the same times, as far as the backend was
  /// told. What one person does may be the reason for a push to another, and what comes late may come too late.
  package func wasAskedForTheSame(as plain: Witness) -> Bool {
    Set(told.keys).union(plain.told.keys).allSatisfy { user in
      let (mine, theirs) = (told[user]?.actions ?? [], plain.told[user]?.actions ?? [])
      return mine.map(\.event) == theirs.map(\.event)
        && zip(mine, theirs).allSatisfy {
          abs((timeInStory($0.at) - plain.timeInStory($1.at)) / .seconds(1)) <= Self.punctuality / .seconds(1)
        }
    }
  }

  /// Longest time between the same calls or pushes of two plays.
  static let punctuality: Duration = .seconds(5)

  /// The time on the story's time line, on which people act: leaps of the clock do not count.
  private func timeInStory(_ instant: Instant) -> Duration {
    let passed = passed(at: instant)
    return leaps.reduce(passed) { time, leap in time - min(leap.length, max(.zero, passed - leap.at)) }
  }

  /// True if a push to a person may not be needed any more: the backend may have been told of something that anybody
  /// did, or that the person has opened the app on any phone, or the clock has leapt.
  ///
  /// - Parameters:
  ///   - begin: the time of the first attempt, which one call in the same instant may explain.
  ///   - end: the time at which the backend had not sent it again.
  func mayBeSettled(for user: UserID, after begin: Instant, until end: Instant) -> Bool {
    if hasLeapt(after: begin, until: end) { return true }
    return isTold(after: begin, until: end) { call in
      let caller = self[InstallID(device: call.device, app: call.app)]?.user
      return call.isOfPerson && !call.isOpening || call.isVisit && caller == user
    }
  }

  /// True if there may be a reason for the second of two pushes: the backend may have been told between them of what
  /// anybody has done, or the clock has leapt.
  func hasReason(for again: WitnessedPush, after first: WitnessedPush) -> Bool {
    again.install == nil || hasLeapt(after: first.at, until: again.at)
      || isTold(after: first.at, until: again.at) { $0.isOfPerson || $0.isVisit }
  }

  /// True if such a call may have reached the backend after the cause of the first push.
  private func isTold(after begin: Instant, until end: Instant, of isWanted: (CallEnd) -> Bool) -> Bool {
    let told = calls.filter { $0.began <= end && begin <= $0.at && $0.mayHaveArrived && isWanted($0) }
    return told.count > 1 || told.contains { $0.at > begin || $0.isDoubled }
  }

  /// An app makes its calls one after the other, so that only this fault lets an old token come last.
  var hasReorderedCalls: Bool { faults.contains { $0.consequence == .reports(.overtake) } }
}

extension CallEnd {
  /// True if the backend may have received it, whatever became of its answer.
  var mayHaveArrived: Bool {
    guard case .failed(let failure, _) = outcome else { return true }
    return switch failure {
    case .offline, .missingValue, .hostNotAllowed, .lost, .refusedByRule, .cannotConnect, .queueFull: false
    case .aborted, .answerLost, .timedOut, .closed, .notHTTP, .tooLarge, .other: true
    }
  }

  /// Reports about what the backend may push, which an app makes when it is opened.
  private static let tellingEvents = ["deviceToken", "pushToStartToken", "laEnablement", "frequentPushes"]

  /// True for what an app may report when it is opened, from which a backend may know that it is in use.
  var isVisit: Bool { isOpening || Self.tellingEvents.contains(event) }

  /// True for a report that an app was opened.
  var isOpening: Bool { event == "foreground" || event == "launch" || event == "launch.cold" }

  /// True for what a person does in an app: opens it, presses a button, or answers a notification.
  var isOfPerson: Bool {
    isOpening || event == "reply" || event.hasPrefix("action.") || event.hasPrefix("button.")
      || event.hasSuffix("Tapped")
  }
}
