import Grammar
import Scenarios
import Simulation
import WireFormats

/// Information about the server.
enum AboutRoutes {
  static let routes: [Route] = [
    Route("GET /health", id: "getHealth", tag: .about, summary: "whether the server is up", answer: health)
      .meaning("Answers 200 as soon as pushes are accepted.")
      .answers(.json("It is up.", .object([.init("status", .constant("ok"))]), example: ["status": "ok"])),
    Route("GET /version", id: "getVersion", tag: .about, summary: "the version of Pushpit", answer: version)
      .answers(
        .json(
          "Name and version.",
          .object([
            .init("version", .string, meaning: "Semantic version."), .init("name", .constant("pushpit")),
            .init("protocol", .integer, meaning: "As in the ready line."),
          ]), example: ["version": "1.2.3", "name": "pushpit", "protocol": 1])),
    Route(
      "GET /v1/ready", id: "getReady", tag: .about,
      summary: "its listeners, certificate authority and keys: the ready line", answer: server
    )
    .meaning(
      """
      The line that the server printed on standard output when it was ready, for programs that did not start
      it.
      """
    )
    .answers(
      .json(
        "The ready line.",
        .open([
          .init("protocol", .integer, meaning: "Programs of another number must not use the server."),
          .init(
            "listeners",
            .open([
              .maybe("sandbox", .string), .maybe("production", .string), .maybe("channels", .string),
              .maybe("productionChannels", .string),
              .maybe("relay", .string, meaning: "For load balancers; only if `listen.relay` is set."),
            ]), meaning: "Addresses as host and port."),
          .init("admin", .string, meaning: "URL of this API."),
          .init("ca", .string, meaning: "PEM file of the certificate authority that clients must trust."),
          .init("secondCa", .string, meaning: "PEM file of the authority of the chain `secondRoot`."),
          .init("chain", .words(["sound", "secondRoot", "expired", "wrongName", "untrusted"])),
          .init("keys", .list(of: .object)), .init("fleet", .object), .init("version", .string),
        ]))),
    Route(
      "GET /v1/ca.pem", id: "getAuthority", tag: .about, summary: "the certificate authority that clients must trust",
      answer: authority
    )
    .answers(Answer(200, "The certificate as PEM.", as: [.text("application/x-pem-file")])),
  ]

  static func page(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let (version, devices) = (context.version, simulator.world.fleet.plan.ownDevices)
    return .text(page(version, devices))
  }

  private static func page(_ version: String, _ devices: UInt32) -> String {
    var text = "Pushpit \(version): a local APNs with \(devices) virtual iPhones.\n\n"
    let longest = Router.routes.map(\.path.count).max() ?? 0
    for route in Router.routes {
      let method = route.method.padded(to: 4)
      text += "\(method)  \(route.path.padded(to: longest))  \(route.summary)\n"
      if !route.queryNames.isEmpty { text += "      ?\(route.queryNames.joined(separator: "= &"))=\n" }
    }
    text += "\nErrors are {\"error\":\"a sentence\",\"field\":\"what is wrong\"}. /openapi.yaml has the details.\n"
    return text
  }

  static func health(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    .json(["status": "ok"])
  }

  static func version(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let (version, server) = (context.version, context.server)
    return .json(["version": .string(version), "name": "pushpit", "protocol": server().ready["protocol"] ?? .null])
  }

  static func server(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let server = context.server
    return .json(server().ready)
  }

  static func authority(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let server = context.server
    return .text(server().authority, contentType: "application/x-pem-file")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
