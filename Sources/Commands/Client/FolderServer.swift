import Pushpit
import WireFormats

/// The server that uses a state folder, if one runs: commands that change the folder tell it so.
package struct FolderServer: Sendable {
  private let api: AdminAPI?

  package init(_ folder: StateFolder) { api = AdminAPI(noted: folder) }

  /// Lets it compare its keys with the folder's list.
  ///
  /// - Returns: whether it has added or revoked keys.
  package func takeOverKeys() -> Bool {
    guard let answer = answer(.init(post: ["v1", "keys", "reload"], [:])) else { return false }
    return ["added", "revoked"].contains { !(answer[$0]?.elements ?? []).isEmpty }
  }

  /// Whether it accepts a certificate. It reads the list of certificates for each new connection.
  package func accepts(certificate fingerprint: String) -> Bool {
    let listed = answer(.init("v1", "certificates"))?["certificates"]?.elements ?? []
    return listed.contains { $0["fingerprint"]?.string == fingerprint && $0["state"]?.string == "valid" }
  }

  /// Lets it refuse a certificate on open connections, too.
  ///
  /// - Returns: whether it does.
  package func revoke(certificate fingerprint: String) -> Bool {
    var order = AdminAPI.Order("v1", "certificates", fingerprint)
    order.method = "DELETE"
    return answer(order)?["revoked"]?.string == fingerprint
  }

  /// Nil if nothing answers, or something that is not this server.
  private func answer(_ order: AdminAPI.Order) -> JSONValue? { (try? api?.perform(order))?.value }
}
