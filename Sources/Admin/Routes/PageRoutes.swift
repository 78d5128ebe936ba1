import CAdminFiles
import Grammar
import Scenarios
import Simulation
import WireFormats

/// The page that people look at, and its files. They are part of the program.
enum PageRoutes {
  static let routes: [Route] = [
    Route("GET /", id: "getPage", tag: .about, summary: "the page to look at in a browser, or this list", answer: front)
      .meaning("With an `Accept` of `text/html`, as browsers send it, the page; otherwise a text.")
      .answers(Answer(200, "The page, or the routes, one per line.", as: [.text(), .text("text/html")])),
    Route("GET /page/{file}", id: "getPageFile", tag: .about, summary: "a file of the page", answer: file)
      .takes(.path("file", .string, meaning: "Its name.", example: "main.js"))
      .answers(Answer(200, "The file.", as: [.text("text/css"), .text("text/javascript")]), .notFound),
  ]

  private struct File: Sendable {
    let name: String
    let contentType: String
    let content: AdminFile
  }

  private static let javaScript = "text/javascript; charset=utf-8"

  private static let files: [File] = [
    File(name: "style.css", contentType: "text/css; charset=utf-8", content: .style),
    File(name: "main.js", contentType: javaScript, content: .main),
    File(name: "core.js", contentType: javaScript, content: .core),
    File(name: "inbox.js", contentType: javaScript, content: .inbox),
    File(name: "push.js", contentType: javaScript, content: .push),
    File(name: "phones.js", contentType: javaScript, content: .phones),
    File(name: "draw.js", contentType: javaScript, content: .draw),
    File(name: "control.js", contentType: javaScript, content: .control),
    File(name: "overview.js", contentType: javaScript, content: .overview),
  ]

  /// Allows the page only its own files and the admin API, because it shows payloads, which may come from anybody.
  private static let policy = AdminResponse.Header(
    "content-security-policy",
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none';"
      + " form-action 'none'; frame-ancestors 'none'")

  /// A browser gets the page, a terminal the list of routes.
  static func front(_ context: inout AdminContext, _ simulator: inout Simulator) -> AdminReply {
    guard context.request.accepts("text/html") else {
      return AboutRoutes.page(&context, &simulator)
    }
    return .response {
      AdminResponse(
        status: 200, contentType: "text/html; charset=utf-8", body: AdminFile.index.bytes,
        headers: [policy, AdminResponse.Header("vary", "accept")])
    }
  }

  static func file(_ context: inout AdminContext, _ simulator: inout Simulator) throws(AdminProblem) -> AdminReply {
    let name = context.captures[0]
    guard let file = files.first(where: { $0.name == name }) else {
      throw AdminProblem(404, "The page has no file of that name; GET / is the page.", field: "file")
    }
    return .response {
      AdminResponse(status: 200, contentType: file.contentType, body: file.content.bytes, headers: [policy])
    }
  }
}
