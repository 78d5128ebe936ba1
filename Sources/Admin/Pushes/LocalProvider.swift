import APNs
import Grammar
import Scenarios
import Simulation
import WireFormats

/// Sends pushes for clients of the admin API, through everything that APNs does.
enum LocalProvider {
  /// Sends a push on a separate connection.
  ///
  /// - Parameter peer: what `GET /v1/events` and the log name as the connection's other side.
  static func send(
    _ request: HTTPRequest, to environment: Environment, as peer: String, in context: inout AdminContext,
    on simulator: inout Simulator
  ) throws(AdminProblem) -> PushRecord {
    let now = simulator.now(wall: context.wall)
    let connection = ProviderConnectionID(ProviderConnectionID.firstOfAdmin + simulator.readers.logs.pushLog.total)
    simulator.world.connectionOpened(connection, to: environment, peer: peer, at: now)
    simulator.world.receive(request, on: StreamID(connection, 1), at: now)
    simulator.world.connectionClosed(connection, at: now)
    let pushes = context.settle(&simulator).compactMap { if case .push(let record) = $0 { record } else { nil } }
    guard let sent = pushes.last(where: { $0.stream.connection == connection }) else {
      throw AdminProblem(422, "A fault struck the push before APNs read it; GET /v1/faults lists the faults.")
    }
    return sent
  }
}
