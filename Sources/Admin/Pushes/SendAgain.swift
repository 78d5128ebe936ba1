import APNs
import Grammar
import Scenarios
import Simulation
import WireFormats

/// Sends a push of the ledger once more, as its provider wrote it, on a separate connection.
enum SendAgain {
  static let routes: [Route] = [
    Route(
      "POST /v1/pushes/{apnsId}/again", id: "sendPushAgain", tag: .ledger,
      summary: "send it once more, as its provider wrote it", answer: post
    )
    .meaning(
      """
      The request is repeated as its provider wrote it, with its provider token, on a connection of its own.
      The answer is the new push, which may have another fate: the provider token may have expired since.
      """
    )
    .takes(.push)
    .answers(.json("The new push.", PushJSON.schema), .notFound, .notPossible)
  ]

  static func post(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    guard let id = NotificationID(context.captures[0]) else {
      throw AdminProblem(
        400, "\(Wording.quoted(context.captures[0])) is not an apns-id; it must be a UUID in its canonical form.",
        field: "apnsId")
    }
    var filter = Filter()
    filter.id = id
    return try find(
      PushLog.Search(filter, before: nil, limit: 1, asksForMore: false), id: id, in: &context, on: &simulator)
  }

  /// Searches the ledger, one portion per hold of the lock.
  private static func find(
    _ begun: PushLog.Search, id: NotificationID, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    var search = begun
    search.look(in: simulator.readers.logs.pushLog, most: BatchSize.records)
    guard search.isDone else {
      return .more { [search] (context, simulator) throws(AdminProblem) in
        try find(search, id: id, in: &context, on: &simulator)
      }
    }
    guard let record = search.pushes.first else {
      throw AdminProblem(
        404,
        "The push log has no push \(id.text). It keeps the last \(simulator.readers.logs.pushLog.capacity);"
          + " GET /v1/pushes lists them.", field: "apnsId")
    }
    return try send(record, in: &context, on: &simulator)
  }

  private static func send(
    _ record: PushRecord, in context: inout AdminContext, on simulator: inout Simulator
  ) throws(AdminProblem) -> AdminReply {
    let sent = try LocalProvider.send(
      record.request, to: record.environment, as: "sent again", in: &context, on: &simulator)
    let names = simulator.world.names(for: [sent])
    return .json(PushJSON.value(sent, names))
  }
}
