import APNs
import Devices
import Reporting
import Simulation
import Timeline

/// The events of a play as short texts that name kinds and never a device: what a play shows, known without the
/// help of the backend.
///
/// Two plays with the same features have taken the same ways. Counts are in buckets, as in AFL, because a third retry
/// is news and a 93rd is not.
package enum HuntFeatures {
  /// Maximum number of features of a play.
  private static let most = 2000

  /// - Parameters:
  ///   - pushes: oldest first.
  ///   - others: words for further kinds of things, such as troubles of connections.
  /// - Returns: sorted, each once.
  package static func read(
    pushes: some Sequence<PushRecord>, calls: some Sequence<CallEnd>, findings: some Sequence<AuditFinding>,
    others: [String] = []
  ) -> [String] {
    var features = Set(others)
    read(pushes.lazy.map { WitnessedPush($0) }, into: &features)
    for end in calls { features.insert("call \(end.event): \(words(end.outcome))") }
    for finding in findings { features.insert("finding \(finding.kind.rawValue)") }
    return Array(features.sorted().prefix(most))
  }

  static func read(_ pushes: some Sequence<WitnessedPush>, into features: inout Set<String>) {
    var tokens: [String: Ways] = [:]
    for push in pushes {
      let kind = "\(push.kind) to \(push.tokenKind)"
      features.insert("\(kind): \(push.answerWords)")
      if push.record.answer.rejection == nil {
        let causes = push.record.fate.causes.joined(separator: ", ")
        let outcome = push.record.fate.outcome ?? push.record.fate.words
        features.insert("\(kind): \(outcome)" + (causes.isEmpty ? "" : " (\(causes))"))
      }
      tokens[push.token, default: Ways()].go(to: "\(push.kind) \(sent(push))")
    }
    for ways in tokens.values {
      for (way, count) in ways.finished { features.insert("token \(way) ×\(bucket(count))") }
    }
  }

  private static func sent(_ push: WitnessedPush) -> String {
    switch push.record.sent {
    case .answer(let status): "\(status)"
    case .nothing, .reset, .pending, .malformed, .incomplete: push.record.sent.words
    }
  }

  /// The steps from one push to a token to the next.
  private struct Ways {
    private var counts: [String: Int] = [:]
    private var last = "none"

    mutating func go(to next: String) {
      counts["\(last) → \(next)", default: 0] += 1
      last = next
    }

    /// Also the last push, after which nothing came.
    var finished: [String: Int] {
      var copy = self
      copy.go(to: "none")
      return copy.counts
    }
  }

  /// 1, 2, 3-4, 5-8, and so on.
  static func bucket(_ count: Int) -> String {
    guard count > 2 else { return "\(count)" }
    var most = 4
    while most < count { most *= 2 }
    return "\(most / 2 + 1)-\(most)"
  }

  private static func words(_ outcome: CallOutcome) -> String {
    switch outcome {
    case .answered(let status, _): "\(status)"
    case .failed(let failure, _): failure.rawValue
    }
  }
}
