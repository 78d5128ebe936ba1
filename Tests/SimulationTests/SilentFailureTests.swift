import APNs
import Devices
import Simulation
import Testing
import Timeline
import WireFormats

/// APNs answers 200, and nothing or something wrong is on the screen: the table of
/// docs/behavior/dropped-pushes.md#the-silent-failures.
@Suite("A silent failure")
struct SilentFailureTests {
  /// The names of the table, in its order.
  private static let names = [
    "unknown-attributes-type", "no-alert-configuration", "alert-not-dictionary", "content-state-decode",
    "attributes-decode", "stale-timestamp", "wrong-token-kind", "orphan-token", "pts-budget-exceeded",
    "update-budget-exceeded", "coalesced", "la-disabled", "os-too-old", "target-limit", "global-limit",
    "activity-not-active", "awaiting-permission", "no-runtime", "no-observer", "not-stored", "expired",
    "superseded-in-store", "collapsed", "low-power", "combined-size", "render-failed", "render-delayed",
    "render-stuck", "alert-ignored",
  ]

  /// Rows that the table itself calls not silent.
  private static let loud: Set<Int> = [25, 32]

  @Test("each silent failure returns 200 and has its own name in the ledger", arguments: SilentFailure.all)
  func each(_ failure: SilentFailure) throws {
    let told = try failure.play()
    #expect(told.status == 200)
    #expect(told.causes.filter { Self.names.contains($0) } == [failure.cause], "\(told.causes)")
    #expect(told.sentences[failure.cause]?.isEmpty == false)
  }

  @Test("each of the 32 is reachable except the two that are not silent, and no two have the same name")
  func distinct() throws {
    #expect(Set(SilentFailure.all.map(\.row)).union(Self.loud) == Set(1...32))
    var seen: [String: SilentFailure] = [:]
    for failure in SilentFailure.all {
      let told = try failure.play()
      // Rows 8 and 9, and 21 and 30, share a name by the table: what they were sent to tells them apart.
      let line = "\(told.way) \(failure.cause): \(told.sentences[failure.cause] ?? "")"
      if let other = seen.updateValue(failure, forKey: line) {
        Issue.record("\(failure.testDescription) and \(other.testDescription) are both told as: \(line)")
      }
    }
  }

  @Test("the causes have the names of the table; the others are of other drops and Pushpit's own")
  func names() {
    let drops = Set(DropCause.allCases.map(\.rawValue))
    let discards = Set(Fate.Discard.allCases.map(\.rawValue))
    let remarks = Set(Remarks.all.map(\.name))
    let known = drops.union(discards).union(remarks)
    #expect(Set(Self.names).subtracting(known) == [])
    #expect(
      drops.subtracting(Self.names) == [
        "payload-unreadable", "aps-missing", "unknown-event", "force-quit", "contradictory-input-keys",
        "missing-timestamp",
        "start-too-old", "app-absent", "too-many-held",
      ])
    #expect(
      discards.subtracting(Self.names) == [
        "app-absent", "dead-start-token", "store-full", "certificate", "fault", "superseded", "lost-on-the-way",
        "overwritten", "older-kept",
      ])
    #expect(remarks.isDisjoint(with: discards))
    // 18: told of the start whose card asks, and of a broadcast to such a card.
    #expect(remarks.intersection(drops) == ["awaiting-permission"])
  }

  @Test("row 25 is not silent: a token of the other environment is 400 BadDeviceToken")
  func otherEnvironment() throws {
    var stage = Stage()
    let token = try stage.token(.pushToStart(type: 0))
    let record = try stage.send(
      token, topic: Stage.activityTopic, Stage.body(stage.aps("start")), on: Stage.production)
    #expect(record.status == 400 && record.reason == .badDeviceToken && record.fate == .refused)
  }

  @Test("S4: row 32 is not silent: a Live Activity sent by certificate is 400 TopicDisallowed, also with a sound token")
  func certificate() throws {
    var stage = Stage()
    let connection = stage.connect(.good)
    try stage.launch()
    for (slot, event) in [(.pushToStart(type: 0), "start"), (.update(activity: 0), "update")] as [(TokenSlot, String)] {
      let record = try stage.send(
        try stage.token(slot), topic: Stage.activityTopic, Stage.body(stage.aps(event)), on: connection)
      #expect(record.status == 400 && record.reason == .topicDisallowed && record.fate == .refused)
    }
  }
}
