import Simulation
import Testing

@Suite("The event logs")
struct EventLogsTests {
  @Test("the event logs keep a bounded number of the newest client troubles, and count all")
  func troubles() {
    var logs = EventLogs(pushLogCapacity: 1)
    for number in 0..<5000 {
      let kind = number.isMultiple(of: 2) ? "handshake" : "http1"
      logs.read([.trouble(ClientTrouble(at: Stage.began, kind: kind, peer: "p", sentence: "\(number)"))])
      #expect(logs.troubles.entries.last?.latest.sentence == "\(number)")
    }
    #expect(logs.troubles.entries.count == TroubleLog.most && logs.troubles.total == 5000)
    #expect(logs.metrics.troubles.map(\.kind) == ["handshake", "http1"])
    #expect(logs.metrics.troubles.map(\.count) == [2500, 2500])
  }
}
