import Transport
import WireFormats

extension LoadRun {
  /// A server that is no Pushpit, nor a proxy in front of this one, gets no push.
  func checkServer() throws {
    switch server.probe() {
    case .sound: break
    case .stranger: try checkProxy()
    case .untrusted(let why):
      throw CommandFailure(
        "\(server.gateway) has a certificate that \(server.authority.place) has not signed (\(why)): does the "
          + "server run with another state folder (--state)?")
    case .unreachable(let why):
      throw CommandFailure(
        "Nothing listens at \(server.gateway) (\(why)): is `pushpit serve` running?", .noServer)
    case .noTLS(let why): throw CommandFailure("\(server.gateway) does not speak TLS: \(why).")
    }
  }

  /// A proxy that ends TLS has a certificate of Pushpit's authority, and passes requests on to the server whose admin
  /// API was asked: an empty push without a provider token is refused, and stands in its ledger.
  private func checkProxy() throws {
    let id = Self.newIDPrefix() + "000000000000"
    guard let token = try LoadTokens.one(order, server) else {
      throw CommandFailure(
        "\(server.gateway) is not Pushpit. \(server.admin) has no device by whose token a proxy could be recognized.")
    }
    let fields = [(name: "apns-id", value: id)]
    let reply = try? server.push("/3/device/\(token)", headers: fields, body: [])
    let found = try? server.api.perform(AdminAPI.Order("v1", "pushes", id))
    guard found != nil else {
      let said = reply.map { ", which answered \($0.status)," } ?? ""
      throw CommandFailure(
        "\(server.gateway)\(said) is neither Pushpit nor a proxy in front of \(server.admin); pushpit load sends to "
          + "nothing else.")
    }
  }
}
