import TestSupport
import Testing
import WireFormats

@testable import Admin

/// Compares answers with what the OpenAPI document says of their routes.
enum DescribedAnswers {
  private static let document = JSONSchema(root: OpenAPIDocument.value)

  /// Records an issue if the route does not describe the answer.
  static func check(_ response: AdminResponse, of request: AdminRequest) {
    guard let target = try? RequestTarget(request.target),
      let (route, _) = try? Router.find(request.method, target), !response.body.isEmpty
    else { return }
    let operation = "\(route.method) \(route.path)"
    let answers = document.root["paths"]?[route.path]?[route.method.lowercased()]?["responses"]
    guard let found = answers?["\(response.status)"] else {
      Issue.record("\(operation) does not describe \(response.status): \(response.text.prefix(300))")
      return
    }
    let type = response.contentType.split(separator: ";").first.map(String.init) ?? ""
    guard let content = document.resolved(found)["content"]?[type] else {
      Issue.record("\(operation) does not describe \(type) for \(response.status)")
      return
    }
    guard type == "application/json", let schema = content["schema"] else { return }
    if let flaw = document.flaw(in: response.json, as: schema) {
      Issue.record("\(operation) \(response.status): \(flaw)")
    }
  }
}
