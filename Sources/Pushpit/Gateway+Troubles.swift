import HTTP2
import Scenarios
import Simulation
import Timeline
import Transport

/// Reports of problems on connections, for the readers of events and for people. They change nothing in the world.
extension Gateway {
  package func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64) {
    report(streams.map(StreamReport.ignored), of: ProviderConnectionID(token))
    let names = streams.map(String.init).joined(separator: ", ")
    log("Connection \(token): the client opened \(names) above the last stream of a GOAWAY; it sends no answer.")
  }

  package func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64) {
    let reports = StreamReport.unserved(streams)
    report(reports, of: ProviderConnectionID(token))
    for report in reports { log("Connection \(token): \(report.sentence)") }
  }

  package func trouble(_ trouble: ConnectionTrouble) {
    let sentence = trouble.sentence.prefix(1).uppercased() + trouble.sentence.dropFirst() + "."
    let from = trouble.peer.isEmpty ? "" : "\(trouble.peer): "
    log(from + sentence)
    update { simulator, now, _ in
      simulator.report(
        ClientTrouble(at: now.world, kind: trouble.kind.name, peer: trouble.peer, sentence: sentence))
    }
  }

  /// Adds troubles of a client to the log, unless its connection is closed by now.
  private func report(_ reports: [StreamReport], of connection: ProviderConnectionID) {
    update { simulator, now, _ in
      guard let peer = simulator.world.peer(of: connection) else { return }
      for report in reports {
        simulator.report(ClientTrouble(at: now.world, kind: report.kind, peer: peer, sentence: report.sentence))
      }
    }
  }
}
