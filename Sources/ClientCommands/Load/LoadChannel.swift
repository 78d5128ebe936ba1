import WireFormats

/// The channel of a run of broadcasts.
struct LoadChannel: Sendable {
  let id: String
  let app: String

  /// The named channel, or that with the most subscribers, or else a new one with activities that subscribe to it.
  init(_ order: LoadOrder, payload: LoadPayload, server: RunningServer) throws {
    app = try order.app ?? server.firstApp()
    if let channel = order.channel {
      id = channel
    } else if let channel = try Self.largest(order, app: app, server) {
      id = channel
    } else {
      var request = ChannelRequest(.create(stores: false))
      (request.app, request.production, request.keyID) = (app, order.isProduction, order.keyID)
      let created = try request.send(to: server)
      guard created.isSuccess, let channel = created.lines.first, !channel.isEmpty else {
        let why = created.story ?? created.lines.joined(separator: " ")
        throw CommandFailure("\(server.admin) made no channel for \(app): \(TerminalText.clean(why))")
      }
      id = channel
      try LoadPhones(order, server).startActivities(payload.contentState, channel: id)
    }
  }

  private static func largest(_ order: LoadOrder, app: String, _ server: RunningServer) throws -> String? {
    var request = AdminAPI.Order("v1", "channels")
    // A server may have more, but then the user names the channel.
    request.query = [("limit", "1000")]
    let environment = order.isProduction ? "production" : "sandbox"
    let rows = try server.api.perform(request).value["channels"]?.elements ?? []
    let own = rows.filter { $0["app"]?.string == app && $0["environment"]?.string == environment }
    let most = own.max { ($0["subscribers"]?.integer ?? 0) < ($1["subscribers"]?.integer ?? 0) }
    guard let most, most["subscribers"]?.integer ?? 0 > 0 else { return nil }
    return most["channel"]?.string
  }
}
