import Simulation
import WireFormats

/// What the server says about itself.
enum AboutRoutes {
  static func page(_ visit: inout Visit, _ station: inout Station) -> AdminResponse {
    var text = "Pushpit \(visit.version): a local APNs with \(station.world.fleet.plan.devices) virtual iPhones.\n\n"
    let longest = Router.routes.map(\.path.count).max() ?? 0
    for route in Router.routes {
      let method = route.method.padded(to: 4)
      text += "\(method)  \(route.path.padded(to: longest))  \(route.summary)\n"
      if !route.parameters.isEmpty { text += "      ?\(route.parameters.joined(separator: "= &"))=\n" }
    }
    text += "\nErrors are {\"error\":\"a sentence\",\"field\":\"what is wrong\"}. /openapi.yaml has the details.\n"
    return .text(text)
  }

  static func health(_ visit: inout Visit, _ station: inout Station) -> AdminResponse { .json(["status": "ok"]) }

  static func version(_ visit: inout Visit, _ station: inout Station) -> AdminResponse {
    .json(["version": .string(visit.version), "name": "pushpit"])
  }

  static func server(_ visit: inout Visit, _ station: inout Station) -> AdminResponse { .json(visit.server()) }

  static func metrics(_ visit: inout Visit, _ station: inout Station) -> AdminResponse {
    .text(
      MetricsPage.text(station, version: visit.version), contentType: "text/plain; version=0.0.4; charset=utf-8")
  }

  static func document(_ visit: inout Visit, _ station: inout Station) -> AdminResponse {
    AdminResponse(status: 200, contentType: "application/yaml", body: PackageResources.openapi_yaml)
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
