import APNs
import Devices
import Simulation
import Testing
import Timeline

@Suite("Metrics")
struct MetricsTests {
  @Test("count what happened, by environment and reason")
  func counts() throws {
    var stage = Stage()
    let token = try stage.token()
    let store = try stage.token(app: 1)
    for _ in 0..<3 { _ = try stage.push(token) }
    _ = try stage.push("00")
    _ = try stage.push(store, topic: Stage.store, on: Stage.production)
    _ = try stage.push(token, on: Stage.production)
    _ = try stage.pushActivity(try stage.token(.pushToStart(type: 0)), event: "start", type: "MatchAttributes")
    try stage.order(.goOffline)
    _ = try stage.push(token)
    try stage.order(.goOnline)
    try stage.order(.uninstall(app: Stage.app))
    _ = try stage.push(token)
    stage.world.connectionClosed(Stage.production, at: stage.now)
    var logs = EventLogs(pushLogCapacity: 1)
    logs.read(stage.events() + [.connectionOpened(ProviderConnectionID(1), .sandbox, peer: "")])
    let metrics = logs.metrics
    #expect(metrics.count(.sandbox, nil) == 6 && metrics.count(.sandbox, .badDeviceToken) == 1)
    #expect(metrics.count(.production, nil) == 1 && metrics.count(.production, .badDeviceToken) == 1)
    #expect(metrics.count(.production, .badTopic) == 0 && metrics.count(.sandbox, .shutdown) == 0)
    #expect(metrics.delivered == 6 && metrics.stored == 1 && metrics.discarded == 1)
    #expect(metrics.activitiesStarted == 1 && metrics.activitiesEnded == 1 && metrics.tokensIssued == 1)
    #expect(metrics.connectionsOpened == 1 && metrics.connectionsClosed == 1 && metrics.troubles.isEmpty)
  }
}
