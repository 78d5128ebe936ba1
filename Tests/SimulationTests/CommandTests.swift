import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("An order")
struct CommandTests {
  private func problem(_ action: DeviceAction, on device: UInt32 = 0, after steps: [DeviceAction] = []) throws
    -> CommandProblem
  {
    var stage = Stage()
    for step in steps { try stage.order(step, on: device) }
    _ = stage.events()
    let touched = stage.world.fleet.touchedCount
    let problem = try #require(throws: CommandProblem.self) { try stage.order(action, on: device) }
    // An order refused changes nothing.
    #expect(stage.events().isEmpty && stage.world.fleet.touchedCount == touched)
    #expect(problem.sentence.hasSuffix("."))
    return problem
  }

  @Test("an order to an unknown device lists the known ones")
  func unknownDevice() throws {
    let problem = try problem(.reboot, on: 100)
    #expect(problem.kind == .unknown && problem.field == "device" && problem.sentence.contains("d0 to d99"))
  }

  @Test("about an unknown app lists the known ones")
  func unknownApp() throws {
    for action: DeviceAction in [
      .uninstall(app: "com.unknown"), .reinstall(app: "com.unknown"), .endActivity(nil, app: "com.unknown"),
      .startActivity(app: "com.unknown", attributesType: nil),
      .rotate(.device, app: "com.unknown", attributesType: nil, activity: nil),
    ] {
      let problem = try problem(action)
      #expect(problem.field == "app" && problem.sentence.contains(Stage.app) && problem.sentence.contains(Stage.store))
    }
  }

  @Test("about an app that was deleted says to install it first")
  func notInstalled() throws {
    for action: DeviceAction in [
      .uninstall(app: nil), .startActivity(app: nil, attributesType: nil),
      .rotate(.device, app: nil, attributesType: nil, activity: nil),
    ] {
      let problem = try problem(action, after: [.uninstall(app: nil)])
      #expect(problem.kind == .impossible && problem.sentence.contains("reinstall it first"))
    }
  }

  @Test("an order that would change nothing is rejected as impossible")
  func notPossible() throws {
    #expect(try problem(.reinstall(app: nil)).sentence.contains("uninstall it first"))
    #expect(try problem(.goOnline).sentence.contains("already online"))
    #expect(try problem(.goOffline, after: [.goOffline]).sentence.contains("already offline"))
  }

  @Test("about an unknown type, service or activity lists the known ones")
  func unknownDetails() throws {
    #expect(
      try problem(.startActivity(app: nil, attributesType: "Match")).sentence.contains(
        "MatchAttributes, RaceAttributes"))
    let rotate = DeviceAction.rotate(.service(.widgets), app: nil, attributesType: nil, activity: nil)
    #expect(try problem(rotate).sentence.contains("has no widgets service"))
    #expect(try problem(.endActivity(nil, app: nil)).sentence == "No activity runs on d0.")
    let start = DeviceAction.startActivity(app: nil, attributesType: nil)
    #expect(
      try problem(.endActivity(nil, app: nil), after: [start, start]).sentence.contains("2 activities run on d0"))
    #expect(
      try problem(.endActivity("00000000-0000-0000-0000-000000000000", app: nil), after: [start]).field == "activity")
  }

  @Test("about the only running activity need not name it; among several it is found by its id in either case")
  func findsActivities() throws {
    var stage = Stage()
    for _ in 0..<3 { try stage.order(.startActivity(app: nil, attributesType: nil)) }
    let ids = try stage.app().activities.map(\.id)
    try stage.order(.endActivity(ids[1].lowercased(), app: nil))
    try stage.order(.endActivity(ids[2], app: Stage.app))
    #expect(try stage.app().activities.map(\.isOver) == [false, true, true])
    try stage.order(.endActivity(nil, app: nil))
    #expect(try stage.app().activities.allSatisfy(\.isOver))
  }

  @Test("once done, is reported as an event")
  func events() throws {
    var stage = Stage()
    let at = stage.now.world
    for action: DeviceAction in [.goOffline, .goOnline, .reboot] { try stage.order(action, on: 3) }
    #expect(
      stage.events() == [
        .phone(DeviceID(3), app: nil, .wentOffline, at: at), .phone(DeviceID(3), app: nil, .wentOnline, at: at),
        .phone(DeviceID(3), app: nil, .rebooted, at: at),
      ])
    try stage.order(.rotate(.service(.voip), app: nil, attributesType: nil, activity: nil), on: 3)
    #expect(stage.events() == [.phone(DeviceID(3), app: 0, .tokenIssued(.service(.voip)), at: at)])
  }
}
