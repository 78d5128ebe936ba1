import APNs
import Devices
import Testing
import Timeline
@testable import Orders
@testable import Scenarios
@testable import Simulation

/// An audit that has seen more than it can remember.
@Suite("The memory of an audit")
struct AuditMemoryTests {
  private struct Audited {
    var stage = Stage(devices: 400)
    var auditor = Auditor(remembering: 100)

    mutating func push(_ device: UInt32) throws {
      _ = try stage.push(try stage.token(on: device), id: nil, body: #"{"aps":{"alert":"\#(stage.now.world)"}}"#)
      read()
    }

    mutating func read() { for event in stage.events() { auditor.read(event) } }
  }

  /// A token that was answered 410 is pushed to again after pushes to so many other tokens.
  private func deadToken(others: UInt32) throws -> Auditor {
    var audited = Audited()
    let token = try audited.stage.token()
    try audited.stage.order(.uninstall(app: Stage.app))
    _ = try audited.stage.push(token)
    audited.stage.advance(by: .seconds(10 * 86_400))
    _ = try audited.stage.push(token)
    audited.read()
    for device in 1..<(1 + others) { try audited.push(device) }
    audited.stage.advance(by: .seconds(60))
    _ = try audited.stage.push(token)
    audited.read()
    return audited.auditor
  }

  @Test("an audit finds a dead token among as many others as it remembers, and notes that it forgot some beyond that")
  func tokens() throws {
    let few = try deadToken(others: 90)
    #expect(few.count(.deadToken) == 1 && few.counts.forgotten == 0 && few.counts.note == nil)
    let many = try deadToken(others: 350)
    #expect(many.count(.deadToken) == 0 && many.counts.forgotten >= 100)
    #expect(many.counts.note?.contains("may be missing") == true)
  }

  @Test("an audit remembers at most 64 dismissals of an app on a phone, and counts those that it forgets")
  func dismissals() {
    var activities = AuditedActivities(most: 10)
    for number: UInt32 in 0..<70 { _ = activities.read(.activityDismissed(number), of: 0, on: DeviceID(0)) }
    #expect(activities.forgotten == 6)
    for device: UInt32 in 1..<100 { _ = activities.read(.activityDismissed(1), of: 0, on: DeviceID(device)) }
    #expect(activities.forgotten > 70)
  }

  @Test("the report of a run states how much its audit has forgotten")
  func report() throws {
    var logs = EventLogs(pushLogCapacity: 10, audits: true, auditing: Auditor(remembering: 10))
    logs.tally = RunTally()
    var stage = Stage()
    for device: UInt32 in 0..<60 {
      _ = try stage.push(try stage.token(on: device))
      logs.read(stage.events())
    }
    let origin = RunReport.Origin(
      command: "serve", program: "1", plan: stage.world.fleet.plan, began: Stage.began, isVirtual: false)
    let report = RunReport(origin, logs)
    #expect(report.notes.contains { $0.hasPrefix("The audit has forgotten ") })
  }

  @Test("an audit starts over with the world, but a run's report has the findings of all worlds, on a tape too")
  func worlds() throws {
    var (stage, live) = (Stage(), EventLogs(pushLogCapacity: 10, audits: true))
    var tape = EventLogs(pushLogCapacity: 1, audits: true)
    func read(_ isNew: Bool) {
      let events = stage.events()
      live.read(events)
      if isNew { live.beginAnew() }
      tape.read(events, in: stage.world)
    }
    let id = "00000000-0000-4000-8000-000000000001"
    for round in 1...3 as ClosedRange<UInt64> {
      // The same push in another world is no duplicate.
      for _ in 0...round { _ = try stage.push(try stage.token(), id: id) }
      read(false)
      #expect(live.auditor?.count(.duplicate) == round)
      try stage.world.perform(.beginAnew, at: stage.now)
      read(true)
      stage.world.connectionOpened(Stage.sandbox, to: .sandbox, peer: "p", at: stage.now)
      #expect(live.auditor?.count(.duplicate) == 0 && live.auditor?.findings.isEmpty == true)
    }
    #expect(live.audited?.count(.duplicate) == 6 && tape.audited?.count(.duplicate) == 6)
    #expect(live.audited?.latest(.duplicate)?.number == 6 && tape.audited?.latest(.duplicate)?.number == 6)
  }
}
