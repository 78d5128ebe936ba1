import APNs
import Devices
import Simulation
import Testing

@testable import Admin

@Suite("The OpenAPI document")
struct DocumentTests {
  let lines: [Substring]
  let served: AdminResponse

  init() {
    var office = Office(devices: 1)
    served = office.ask("GET", "/openapi.yaml")
    lines = served.text.split(separator: "\n")
  }

  /// `GET /v1/devices` and so on, as the document has them.
  var described: [(operation: String, lines: ArraySlice<Substring>)] {
    var found: [(String, Int)] = []
    var path = ""
    for (number, line) in lines.enumerated() {
      if line == "components:" { found.append(("", number)) }
      if line.hasPrefix("  /"), line.hasSuffix(":") { path = String(line.dropFirst(2).dropLast()) }
      if line == "    get:" || line == "    post:" {
        found.append(("\(line.dropFirst(4).dropLast().uppercased()) \(path)", number))
      }
    }
    return zip(found, found.dropFirst()).map { ($0.0, lines[$0.1..<$1.1]) }
  }

  @Test("is served as YAML")
  func isServed() {
    #expect(served.status == 200 && served.contentType == "application/yaml")
    #expect(lines.first == "openapi: 3.1.0")
  }

  @Test("describes the routes there are, all of them, and no other")
  func routes() {
    #expect(Set(described.map(\.operation)) == Set(Router.routes.map { "\($0.method) \($0.path)" }))
    #expect(described.count == Router.routes.count)
  }

  @Test("names each route's parameters")
  func parameters() {
    for route in Router.routes {
      let section = described.first { $0.operation == "\(route.method) \(route.path)" }?.lines ?? []
      var named = section.enumerated().compactMap { line in
        line.element.hasPrefix("        - name: ") ? String(line.element.dropFirst("        - name: ".count)) : nil
      }
      if section.contains(where: { $0.hasSuffix("parameters/limit\"") }) { named.append("limit") }
      #expect(Set(named).subtracting(["apnsId"]) == Set(route.parameters).subtracting(["apnsId"]), "\(route.path)")
    }
  }

  @Test("gives each operation a summary, a name and the answers every route can give")
  func operations() {
    for (operation, section) in described {
      for needed in ["      operationId: ", "      summary: ", "        \"400\": ", "        \"403\": "] {
        #expect(section.contains { $0.hasPrefix(needed) }, "\(operation) lacks \(needed)")
      }
    }
  }

  @Test("knows every reason, kind, action and event")
  func words() {
    let text = served.text
    for reason in RejectionReason.allCases { #expect(text.contains("        - \(reason.rawValue)\n")) }
    let kinds = TokenKind.allCases.map(\.name).joined(separator: ", ")
    #expect(text.contains("      enum: [\(kinds)]\n"))
    for action in DeviceAction.names { #expect(text.contains(action)) }
  }
}
