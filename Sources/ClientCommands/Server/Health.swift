import Pushpit
import Transport
import WireFormats

/// A check that a server is up: `pushpit health`.
package struct Health: Sendable {
  /// The admin API that was requested.
  package let admin: String
  /// The reason why the server is not up; nil if it is.
  package let problem: String?

  package init(of admin: String) {
    let admin = admin.hasSuffix("/") ? String(admin.dropLast()) : admin
    self.admin = admin
    do throws(WebCall.Failure) {
      let reply = try WebCall("GET", admin + "/health", version: .http1).perform()
      let isPushpit = (try? JSONValue.parse(reply.body))?.members != nil
      problem =
        reply.status == 200 && isPushpit
        ? nil : "\(admin) answered \(reply.status) to /health: is something else listening there?"
    } catch {
      problem = "\(admin) does not answer: \(error)."
    }
  }
}
