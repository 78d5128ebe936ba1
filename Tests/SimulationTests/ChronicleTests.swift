import Simulation
import Testing

@Suite("The chronicle")
struct ChronicleTests {
  @Test("keeps the newest troubles, a bounded number, and counts them all")
  func troubles() {
    var chronicle = Chronicle(ledgerCapacity: 1)
    for number in 0..<5000 {
      let kind = number.isMultiple(of: 2) ? "handshake" : "http1"
      chronicle.read([.trouble(Trouble(at: Stage.began, kind: kind, peer: "p", sentence: "\(number)"))])
      #expect(chronicle.troubles.entries.last?.latest.sentence == "\(number)")
    }
    #expect(chronicle.troubles.entries.count == TroubleLog.most && chronicle.troubles.total == 5000)
    #expect(chronicle.metrics.troubles.map(\.kind) == ["handshake", "http1"])
    #expect(chronicle.metrics.troubles.map(\.count) == [2500, 2500])
  }
}
