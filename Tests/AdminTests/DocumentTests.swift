import Devices
import Foundation
import Orders
import Simulation
import Testing
import WireFormats

@testable import Admin

@Suite("The OpenAPI document")
struct DocumentTests {
  /// All objects of the document.
  private static let objects: [[JSONValue.Member]] = {
    var found: [[JSONValue.Member]] = []
    func visit(_ value: JSONValue) {
      if let members = value.members { found.append(members) }
      for part in value.members?.map(\.value) ?? value.elements ?? [] { visit(part) }
    }
    visit(OpenAPIDocument.value)
    return found
  }()

  @Test("the OpenAPI document is served as YAML")
  func isServed() {
    var office = Office(devices: 1)
    let served = office.ask("GET", "/openapi.yaml")
    #expect(served.status == 200 && served.contentType == "application/yaml")
    #expect(served.text == OpenAPIDocument.text && served.text.hasPrefix("openapi: \"3.1.0\"\n"))
  }

  @Test("Sources/Admin/openapi.yaml equals the document that is made from the routes")
  func isKept() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..").standardized
    let kept = try String(contentsOf: root.appendingPathComponent("Sources/Admin/openapi.yaml"), encoding: .utf8)
    #expect(kept == OpenAPIDocument.text, "make it anew: scripts/openapi")
  }

  @Test("each operation has a name of its own and an answer that is not an error")
  func operations() {
    let operations = OpenAPIDocument.value["paths"]?.members?.flatMap { $0.value.members ?? [] }.map(\.value) ?? []
    #expect(operations.count == Router.routes.count)
    #expect(Set(operations.compactMap { $0["operationId"]?.string }).count == Router.routes.count)
    for route in Router.routes {
      let statuses = route.answers.map(\.status)
      #expect(Set(statuses).count == statuses.count && statuses[0] < 300, "\(route.method) \(route.path)")
    }
  }

  @Test("an expectation of a session offers only what sessions accept")
  func expectations() throws {
    let schemas = OpenAPIDocument.value["components"]?["schemas"]
    let kinds = try #require(schemas?["Expectation"]?["oneOf"]?.elements)
    let screens = try #require(kinds.first { $0["properties"]?["screens"] != nil })
    #expect(screens["properties"]?["within"] == nil)
    #expect(kinds.allSatisfy { !$0.text.contains("`of`") } && kinds.contains { $0["properties"]?["within"] != nil })
  }

  @Test("each placeholder of a path is described, in the order of the path")
  func placeholders() {
    for route in Router.routes {
      let places = route.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
      let described = route.parameters.filter { $0.place == .path }.map(\.name)
      #expect(places.map(String.init) == described, "\(route.method) \(route.path)")
    }
  }

  @Test("no object of the document has a key twice, and each reference leads to something")
  func references() {
    for members in Self.objects { #expect(Set(members.map(\.key)).count == members.count, "\(members.map(\.key))") }
    for reference in Self.objects.compactMap({ JSONValue.object($0)["$ref"]?.string }) {
      let found = reference.split(separator: "/").dropFirst().reduce(OpenAPIDocument.value) { $0[String($1)] ?? .null }
      #expect(found.members != nil, "\(reference)")
    }
  }
}
