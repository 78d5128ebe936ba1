import Simulation
import WireFormats

/// What the server says about itself.
enum AboutRoutes {
  static func page(_ visit: inout Visit, _ station: inout Station) -> AdminReply {
    let (version, devices) = (visit.version, station.world.fleet.plan.devices)
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

  static func health(_ visit: inout Visit, _ station: inout Station) -> AdminReply { .json(["status": "ok"]) }

  static func version(_ visit: inout Visit, _ station: inout Station) -> AdminReply {
    let version = visit.version
    return .json(["version": .string(version), "name": "pushpit"])
  }

  static func server(_ visit: inout Visit, _ station: inout Station) -> AdminReply {
    let server = visit.server
    return .json(server())
  }

  static func metrics(_ visit: inout Visit, _ station: inout Station) -> AdminReply {
    let page = MetricsPage(station, version: visit.version)
    return .text(page.text, contentType: "text/plain; version=0.0.4; charset=utf-8")
  }

  static func document(_ visit: inout Visit, _ station: inout Station) -> AdminReply {
    .response { AdminResponse(status: 200, contentType: "application/yaml", body: PackageResources.openapi_yaml) }
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
