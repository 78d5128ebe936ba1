import APNs
import Devices
import Reporting
import Simulation
import Testing
import Timeline

/// A day of three phones, whose events are the same in every process and every release.
@Suite("A story")
struct StoryTests {
  private func lines() throws -> [String] {
    var stage = Stage(devices: 3, seed: 1, os: nil)
    var lines: [String] = []
    func tell(_ stage: inout Stage) { for event in stage.events() { lines.append(Self.line(event)) } }

    let alert = try stage.token(on: 1)
    _ = try stage.push(alert)
    _ = try stage.push(alert, id: "eabeae54-14a8-11e5-b60b-1697f925ec7b", on: Stage.production)
    tell(&stage)
    let start = try stage.token(.pushToStart(type: 0), on: 1)
    _ = try stage.pushActivity(start, event: "start", type: "MatchAttributes")
    let update = try stage.token(.update(activity: 0), on: 1)
    stage.advance(by: .milliseconds(1500))
    _ = try stage.pushActivity(update, event: "update")
    try stage.order(.goOffline, on: 1)
    _ = try stage.pushActivity(update, event: "update")
    try stage.order(.goOnline, on: 1)
    try stage.order(.rotate(.update, app: nil, attributesType: nil, activity: nil), on: 1)
    tell(&stage)
    try stage.order(.uninstall(app: Stage.app), on: 2)
    let dead = try stage.token(on: 0)
    try stage.order(.rotate(.device, app: nil, attributesType: nil, activity: nil), on: 0)
    _ = try stage.push(dead)
    stage.advance(by: .seconds(28_800))
    _ = try stage.pushActivity(update, event: "update")
    _ = try stage.pushActivity(try stage.token(.update(activity: 0), on: 1), event: "update")
    stage.advance(by: .seconds(86_400))
    _ = try stage.push(dead)
    try stage.order(.reinstall(app: Stage.app), on: 2)
    stage.world.connectionClosed(Stage.sandbox, at: stage.now)
    tell(&stage)
    return lines
  }

  @Test("run twice is the same, here and in every other process")
  func pinned() throws {
    let told = try lines()
    #expect(try lines() == told)
    for (line, expected) in zip(told, PinnedStory.lines) { #expect(line == expected) }
    #expect(told.count == PinnedStory.lines.count, "\(told.joined(separator: "\n"))")
  }

  /// An event in a line, with everything that chance has a hand in.
  private static func line(_ event: WorldEvent) -> String {
    func at(_ instant: Instant) -> String { "\(instant.milliseconds - Stage.began.milliseconds)" }
    switch event {
    case .connectionOpened(let id, let environment, let peer): return "opened \(id.number) \(environment) \(peer)"
    case .connectionClosed(let id): return "closed \(id.number)"
    case .trouble(let trouble): return "trouble \(trouble.kind)"
    case .streamsAllowed(let id): return "streams \(id.number)"
    case .push(let record):
      let since = record.answer.rejection?.since.map { " since \($0.nanoseconds)" } ?? ""
      let told = record.reason?.rawValue ?? record.fate.words
      return "push \(record.sequence), \(at(record.at.world)): \(record.answer.id.text) "
        + "\(record.answer.uniqueID == nil ? "-" : "+") \(record.status) \(told)\(since)"
    case .channels(let record): return "channels \(record.number): \(record.answer.status)"
    case .broadcastReached(let number, let device, let fate, let instant):
      return "broadcast \(number) on \(device.text) at \(at(instant)): \(fate.words)"
    case .pushSettled(let number, let device, let fate, let instant):
      return "push \(number) on \(device.text) at \(at(instant)): \(fate.words)"
    case .answerSent(let number, let sent, let instant): return "sent \(number) at \(at(instant)): \(sent.words)"
    case .faultStruck(let name, let device, _): return "fault \(name) \(device.text)"
    case .connectionStruck(let name, let connection, _): return "fault \(name) \(connection.number)"
    case .wire(let id, let order): return "wire \(id.number) \(order.name)"
    case .listener(let fault, _): return "listener \(fault == nil ? "well" : "ill")"
    case .call(let record): return "call \(record.number) \(record.device.text)"
    case .callEnded(let end): return "call \(end.number) \(end.device.text) \(end.sentence)"
    case .phone(let device, let app, let deviceEvent, let instant):
      let details =
        ([deviceEvent.slot?.kind.name, deviceEvent.activity.map { "activity \($0)" }] + deviceEvent.details.map(\.value))
        .compactMap(\.self).joined(separator: " ")
      return "\(deviceEvent.name) \(device.text) app \(app ?? -1) \(details) at \(at(instant))"
    }
  }
}
