import Simulation
import WireFormats

/// The page that people look at, and its files. They are part of the program.
enum PageRoutes {
  private struct File: Sendable {
    let name: String
    let contentType: String
    let bytes: [UInt8]
  }

  private static let javaScript = "text/javascript; charset=utf-8"

  private static let files: [File] = [
    File(name: "style.css", contentType: "text/css; charset=utf-8", bytes: PackageResources.style_css),
    File(name: "main.js", contentType: javaScript, bytes: PackageResources.main_js),
    File(name: "core.js", contentType: javaScript, bytes: PackageResources.core_js),
    File(name: "inbox.js", contentType: javaScript, bytes: PackageResources.inbox_js),
    File(name: "push.js", contentType: javaScript, bytes: PackageResources.push_js),
    File(name: "phones.js", contentType: javaScript, bytes: PackageResources.phones_js),
    File(name: "draw.js", contentType: javaScript, bytes: PackageResources.draw_js),
    File(name: "control.js", contentType: javaScript, bytes: PackageResources.control_js),
    File(name: "overview.js", contentType: javaScript, bytes: PackageResources.overview_js),
  ]

  /// Nothing but the files beside it and the admin API: payloads are shown, and they may come from anybody.
  private static let policy = AdminResponse.Header(
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
      + " form-action 'none'; frame-ancestors 'none'")

  /// A browser gets the page, a terminal the list of routes.
  static func front(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    guard context.request.values(of: "accept").contains(where: { $0.lowercased().contains("text/html") }) else {
      return AboutRoutes.page(&context, &simulator)
    }
    return .response {
      AdminResponse(
        status: 200, contentType: "text/html; charset=utf-8", body: PackageResources.index_html,
        headers: [policy, AdminResponse.Header("vary", "accept")])
    }
  }

  static func file(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let name = context.captures[0]
    guard let file = files.first(where: { $0.name == name }) else {
      throw AdminProblem(404, "The page has no file of that name; GET / is the page.", field: "file")
    }
    return .response {
      AdminResponse(status: 200, contentType: file.contentType, body: file.bytes, headers: [policy])
    }
  }
}
