import HTTP2
import Simulation
import Transport

/// What goes wrong on connections, for the world's log and for people.
extension Gateway {
  package func ignored(_ streams: [Int32], on connection: ConnectionID, token: UInt64) {
    updateWorld { world, now, _ in world.streamsIgnored(streams, on: ProviderConnectionID(token), at: now) }
    let names = streams.map(String.init).joined(separator: ", ")
    log("Connection \(token): the client opened \(names) above the last stream of a GOAWAY; it sends no answer.")
  }

  package func unserved(_ streams: [UnservedStream], on connection: ConnectionID, token: UInt64) {
    for report in UnservedReport.of(streams) {
      updateWorld { world, now, _ in
        world.streamsUnserved(report.kind, report.sentence, on: ProviderConnectionID(token), at: now)
      }
      log("Connection \(token): \(report.sentence)")
    }
  }

  package func trouble(_ trouble: ConnectionTrouble) {
    let sentence = trouble.sentence.prefix(1).uppercased() + trouble.sentence.dropFirst() + "."
    let from = trouble.peer.isEmpty ? "" : "\(trouble.peer): "
    log(from + sentence)
    updateWorld { world, now, _ in world.connectionTroubled(trouble.kind.name, peer: trouble.peer, sentence, at: now) }
  }
}
