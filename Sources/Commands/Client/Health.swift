import Pushpit
import Transport
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Whether a server is up: `pushpit health`.
package struct Health: Sendable {
  /// The admin API that was requested.
  package let admin: String
  /// Why it is not up; nil if it is.
  package let problem: String?

  /// The address of the admin API: the given URL or ready file, the environment's port, the state folder's last server,
  /// or the default port.
  package static func find(admin: String?, readyFile: String?, folder: StateFolder) throws(StartFailure) -> String {
    if let admin { return admin }
    if let readyFile { return try ReadyFile.admin(in: readyFile) }
    if getenv("PUSHPIT_ADMIN_PORT") == nil, folder.exists(folder.readyPath) {
      return try ReadyFile.admin(in: folder.readyPath)
    }
    return AdminAPI(folder).url
  }

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
