import APNs
import Devices
import Timeline

/// Pushes and tokens of other cells.
extension World {
  /// Routers send a push to the cell that its token's second byte names.
  func requirePartition(_ token: DeviceToken, of device: DeviceID) throws(CommandProblem) {
    guard let cell = fleet.plan.cell else { return }
    guard let named = token.partition else {
      throw CommandProblem(
        .impossible, field: "token",
        sentence: "A token of one byte names no cell; a token in \(cell.words) needs two or more.")
    }
    guard !cell.owns(partition: named) else { return }
    throw CommandProblem(
      .impossible, field: "token",
      sentence:
        "The token's second byte is \(named), which names cell \(cell.owner(ofPartition: named)); \(device.text)"
        + " belongs to \(cell.words), and pushes to the token would not arrive here.")
  }

  /// A rejected push may belong to another cell. Each connection is told once of each cell.
  mutating func troubleOfOtherCell(
    _ push: ParsedPush, _ rejection: Rejection, of index: Connections.Index, at now: Instant
  ) -> ClientTrouble? {
    guard rejection.rule == .deviceTokenKnown, let cell = fleet.plan.cell,
      let named = push.deviceToken?.partition, !cell.owns(partition: named)
    else { return nil }
    let owner = cell.owner(ofPartition: named)
    guard connections[index].noteForeignCell(owner) else { return nil }
    return ClientTrouble(
      at: now, kind: "otherCell", peer: connections[index].peer,
      sentence:
        "A push to a token of cell \(owner) arrived at \(cell.words), which answers \(rejection.reason.rawValue)."
        + " The second byte of a token, modulo \(cell.count), is the number of its cell.")
  }
}
