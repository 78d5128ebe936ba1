import CAdminFiles
import Scenarios
import Simulation
import WireFormats

/// Information about the server.
enum AboutRoutes {
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
      if !route.parameters.isEmpty { text += "      ?\(route.parameters.joined(separator: "= &"))=\n" }
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

  static func settings(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let (server, prefix) = (context.server, try context.query.text("prefix") ?? "")
    return .json(["settings": .array(server().settings(prefix))])
  }

  static func metrics(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    let server = context.server
    let page = MetricsPage(simulator, version: context.version, server())
    return .text(page.text, contentType: "text/plain; version=0.0.4; charset=utf-8")
  }

  static func document(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    .response { AdminResponse(status: 200, contentType: "application/yaml", body: AdminFile.openAPI.bytes) }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
