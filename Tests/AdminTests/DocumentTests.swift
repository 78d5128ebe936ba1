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
      if ["    get:", "    post:", "    put:", "    delete:"].contains(line) {
        found.append(("\(line.dropFirst(4).dropLast().uppercased()) \(path)", number))
      }
    }
    return zip(found, found.dropFirst()).map { ($0.0, lines[$0.1..<$1.1]) }
  }

  /// The words of the lists behind `do`.
  var actions: Set<String> {
    let lists = lines.filter { $0.hasPrefix("            do: { type: string, enum: [") }
    return Set(lists.flatMap { $0.split { !$0.isLetter } }.map(String.init))
  }

  @Test("the OpenAPI document lists every state, switch, permission, process and error")
  func enumerations() {
    let text = served.text
    func listed(_ words: [String]) -> Bool {
      text.contains("enum: [\(words.joined(separator: ", "))]\n")
        || text.contains(words.map { "        - \($0)\n" }.joined())
    }
    #expect(listed(LiveActivity.State.allCases.map(\.rawValue)))
    #expect(listed(PhoneSwitch.allCases.map(\.rawValue)))
    #expect(listed(NotificationPermission.allCases.map(\.rawValue)))
    #expect(listed(LogProcess.allCases.map(\.rawValue)))
    #expect(listed(["APNs"] + LogProcess.allCases.map(\.rawValue)))
    #expect(listed(AuthorizationError.allCases.map(\.rawValue)))
    #expect(listed(AppLifecycle.allCases.map(\.rawValue) + ["deleted"]))
    #expect(listed(ActivityStartRequest.Scene.allCases.map(\.rawValue)))
    for reaction in ServiceReaction.allCases { #expect(text.contains("- \(reaction.rawValue)\n")) }
    for shape in Presentation.Shape.allCases { #expect(text.contains("- \(shape.rawValue)\n")) }
  }

  @Test("the OpenAPI document is served as YAML")
  func isServed() {
    #expect(served.status == 200 && served.contentType == "application/yaml")
    #expect(lines.first == "openapi: 3.1.0")
  }

  @Test("the OpenAPI document describes exactly the existing routes")
  func routes() {
    #expect(Set(described.map(\.operation)) == Set(Router.routes.map { "\($0.method) \($0.path)" }))
    #expect(described.count == Router.routes.count)
  }

  @Test("the OpenAPI document names each route's parameters")
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

  @Test("the OpenAPI document gives each operation a summary, a name and the common answers")
  func operations() {
    for (operation, section) in described {
      for needed in ["      operationId: ", "      summary: ", "        \"400\": ", "        \"403\": "] {
        #expect(section.contains { $0.hasPrefix(needed) }, "\(operation) lacks \(needed)")
      }
    }
  }

  @Test("the OpenAPI document lists every reason, kind, action and event")
  func words() {
    let text = served.text
    for reason in RejectionReason.allCases { #expect(text.contains("        - \(reason.rawValue)\n")) }
    let kinds = TokenKind.allCases.map(\.name).joined(separator: ", ")
    #expect(text.contains("      enum: [\(kinds)]\n"))
    for action in DeviceAction.names {
      #expect(text.contains("            - \(action)\n"), "the order for many lacks \(action)")
      #expect(text.contains("do: { type: string, const: \(action) }") || actions.contains(action), "\(action)")
    }
  }
}
