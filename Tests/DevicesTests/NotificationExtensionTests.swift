import APNs
import Devices
import Testing
import Timeline

@Suite("Notification service extension")
struct NotificationExtensionTests {
  private static let sound = #""alert":"a","mutable-content":1"#

  private func passage(
    _ habit: ServiceExtension, _ members: String = sound, _ permission: NotificationPermission = .authorized
  ) throws -> ServiceExtension.Passage {
    habit.passage(of: try NotificationPhone.aps(members), permission, at: NotificationPhone.began)
  }

  private func after(_ duration: Duration) -> Instant { NotificationPhone.began.advanced(by: duration) }

  @Test("The extension changes the notification, which is shown when the extension has finished")
  func changed() throws {
    let passage = try passage(.succeeds(after: .seconds(2)))
    #expect(passage == .init(outcome: .changed, presentedAt: after(.seconds(2))) && passage.outcome.hasRun)
  }

  @Test(
    "An extension that has not finished at 30 s lets the original be shown",
    arguments: [
      ServiceExtension.runsOut, .succeeds(after: .seconds(30)), .succeeds(after: .seconds(31)),
      .succeeds(after: .seconds(Int64.max)),
    ])
  func ranOut(habit: ServiceExtension) throws {
    #expect(try passage(habit) == .init(outcome: .ranOut, presentedAt: after(.seconds(30))))
  }

  @Test("a nanosecond before the limit is in time, and before the extension began it is at once")
  func edges() throws {
    let last = ServiceExtension.longest - .nanoseconds(1)
    #expect(try passage(.succeeds(after: last)) == .init(outcome: .changed, presentedAt: after(last)))
    #expect(try passage(.succeeds(after: .seconds(-5))).presentedAt == after(.zero))
  }

  @Test(
    "An extension that does not run lets the notification be shown at once",
    arguments: [
      (ServiceExtension.absent, sound, NotificationPermission.authorized, ServiceExtension.Outcome.noExtension),
      (.runsOut, #""alert":"a""#, .authorized, .notMutable),
      (.runsOut, #""alert":"a","mutable-content":0"#, .authorized, .notMutable),
      (.runsOut, #""alert":"a","mutable-content":"1""#, .authorized, .notMutable),
      (.runsOut, #""mutable-content":1,"content-available":1"#, .authorized, .noAlert),
      (.runsOut, #""mutable-content":1,"badge":1,"sound":"default""#, .authorized, .noAlert),
      (.runsOut, sound, .denied, .alertsOff), (.runsOut, sound, .notDetermined, .alertsOff),
    ])
  func skipped(
    habit: ServiceExtension, members: String, permission: NotificationPermission, outcome: ServiceExtension.Outcome
  ) throws {
    let passage = try passage(habit, members, permission)
    #expect(passage == .init(outcome: outcome, presentedAt: after(.zero)) && !passage.outcome.hasRun)
  }

  @Test("The extension gets quiet notifications too")
  func provisional() throws {
    #expect(try passage(.succeeds(after: .zero), Self.sound, .provisional).outcome == .changed)
  }

  @Test("each outcome has a name, a sentence and evidence", arguments: ServiceExtension.Outcome.allCases)
  func words(outcome: ServiceExtension.Outcome) {
    #expect(outcome.rawValue.allSatisfy { $0.isLowercase || $0 == "-" })
    #expect(!outcome.sentence.isEmpty && !outcome.evidence.source.isEmpty)
  }
}
