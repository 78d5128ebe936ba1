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

  @Test("is answered 200 and has its own name in the ledger", arguments: SilentFailure.all)
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
        "payload-unreadable", "unknown-event", "force-quit", "contradictory-input-keys", "missing-timestamp",
        "start-too-old", "app-absent", "too-many-held",
      ])
    #expect(discards.subtracting(Self.names) == ["app-absent", "store-full", "fault"])
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

  /// Live Activities take a provider token; Pushpit knows no other way to authenticate.
  @Test("S4, S5: row 32 is not silent: a connection that relies on its certificate is 403 MissingProviderToken")
  func certificate() throws {
    var stage = Stage()
    let token = try stage.token(.pushToStart(type: 0))
    let request = HTTPRequest(
      "POST", "/3/device/" + token, fields: [(name: "apns-topic", value: Stage.activityTopic)],
      body: Array(Stage.body(stage.aps("start")).utf8))
    stage.world.receive(request, on: StreamID(Stage.sandbox, 1), at: stage.now)
    guard case .push(let record)? = stage.world.recent.last(where: { if case .push = $0 { true } else { false } })
    else {
      Issue.record("no push in \(stage.world.recent)")
      return
    }
    #expect(record.status == 403 && record.reason == .missingProviderToken && record.fate == .refused)
  }
}
