import APNs
import Devices
import Testing
import Timeline

@Suite("A Live Activity")
struct LiveActivityTests {
  let began = Instant(seconds: 1_700_000_000)
  let policy = DevicePolicy()

  private func activity() -> LiveActivity {
    LiveActivity(number: 0, type: 0, startedAt: began, origin: .push, life: policy.activityLife)
  }

  private func status(
    _ activity: LiveActivity, after duration: Duration, generation: UInt32 = 0
  ) -> LiveActivity.Status {
    let address = Address(device: DeviceID(0), app: 0, slot: .update(activity: 0), generation: generation)
    return activity.status(of: address, at: began.advanced(by: duration))
  }

  @Test("S51: the token of an activity expires at exactly 8 hours, and stays expired")
  func expires() {
    let expiry = began.advanced(by: .seconds(28_800))
    #expect(status(activity(), after: .zero) == .live)
    #expect(status(activity(), after: .milliseconds(28_799_999)) == .live)
    #expect(status(activity(), after: .seconds(28_800)) == .expired(since: expiry))
    #expect(status(activity(), after: .seconds(86400 * 60)) == .expired(since: expiry))
    #expect(!activity().isOver(at: expiry.advanced(by: .nanoseconds(-1))))
    #expect(activity().isOver(at: expiry))
  }

  @Test("S22: APNs answers 410 for the token of an activity a minute after its end online")
  func endedOnline() {
    var activity = activity()
    activity.end(policy, isOnline: true, at: began.advanced(by: .seconds(100)))
    let notice = began.advanced(by: .seconds(160))
    #expect(status(activity, after: .seconds(100)) == .lingering)
    #expect(status(activity, after: .milliseconds(159_999)) == .lingering)
    #expect(status(activity, after: .seconds(160)) == .unregistered(since: notice))
    #expect(status(activity, after: .seconds(86400)) == .unregistered(since: notice))
  }

  @Test("The end of an activity offline is reported to APNs a minute after the phone is back")
  func endedOffline() {
    var activity = activity()
    activity.end(policy, isOnline: false, at: began.advanced(by: .seconds(100)))
    #expect(status(activity, after: .seconds(28_799)) == .lingering)
    activity.reportToAPNs(policy, at: began.advanced(by: .seconds(1000)))
    activity.reportToAPNs(policy, at: began.advanced(by: .seconds(2000)))
    #expect(status(activity, after: .seconds(1059)) == .lingering)
    #expect(status(activity, after: .seconds(1060)) == .unregistered(since: began.advanced(by: .seconds(1060))))
  }

  @Test("a running activity has no notice")
  func nothingToTell() {
    var activity = activity()
    activity.reportToAPNs(policy, at: began)
    #expect(status(activity, after: .seconds(1000)) == .live)
  }

  @Test("Without a notice, APNs answers 200 for the token of an ended activity until its eight hours are over")
  func noNotice() {
    var never = DevicePolicy()
    never.deadActivityNotice = nil
    var activity = activity()
    activity.end(never, isOnline: true, at: began)
    activity.reportToAPNs(never, at: began)
    #expect(status(activity, after: .milliseconds(28_799_999)) == .lingering)
  }

  @Test("An activity ends once: a second end changes nothing")
  func endsOnce() {
    var activity = activity()
    activity.end(policy, isOnline: true, at: began)
    activity.end(policy, isOnline: true, at: began.advanced(by: .seconds(50)))
    #expect(activity.endedAt == began)
    #expect(status(activity, after: .seconds(60)) == .unregistered(since: began.advanced(by: .seconds(60))))
  }

  @Test("The token of an activity that ended in its last minute expires and is not unregistered")
  func endedAtTheLast() {
    var activity = activity()
    activity.end(policy, isOnline: true, at: began.advanced(by: .seconds(28_790)))
    #expect(status(activity, after: .seconds(28_799)) == .lingering)
    #expect(status(activity, after: .seconds(28_850)) == .expired(since: began.advanced(by: .seconds(28_800))))
  }

  @Test("a rotated token stays valid for its grace period and then is unregistered; the new one is valid")
  func rotated() {
    var activity = activity()
    activity.rotateToken(notice: began.advanced(by: .seconds(60)))
    #expect(status(activity, after: .seconds(59)) == .lingering)
    #expect(status(activity, after: .seconds(60)) == .unregistered(since: began.advanced(by: .seconds(60))))
    #expect(status(activity, after: .seconds(60), generation: 1) == .live)
    #expect(status(activity, after: .seconds(60), generation: 2) == .neverIssued)
    #expect(
      status(activity, after: .seconds(28_800), generation: 1)
        == .expired(since: began.advanced(by: .seconds(28_800))))
  }
}
