import Pushpit
import WireFormats

/// The servers that run on a state folder: commands that change the folder notify each of them.
package struct FolderServers: Sendable {
  private let all: [AdminAPI]

  package init(_ folder: StateFolder) { all = ReadyFolder(folder).servers.map { AdminAPI(url: $0.admin) } }

  /// Lets them compare their keys with the folder's list.
  ///
  /// - Returns: whether one has added or revoked keys.
  package func takeOverKeys() -> Bool {
    answers(.init(post: ["v1", "keys", "reload"], [:])).contains { answer in
      ["added", "deleted"].contains { !(answer[$0]?.elements ?? []).isEmpty }
    }
  }

  /// Returns true if one accepts a certificate. Servers read the list of certificates for each new connection.
  package func accept(certificate fingerprint: String) -> Bool {
    answers(.init("v1", "certificates")).contains { answer in
      (answer["certificates"]?.elements ?? []).contains {
        $0["fingerprint"]?.string == fingerprint && $0["state"]?.string == "valid"
      }
    }
  }

  /// Lets them refuse a certificate on open connections, too.
  ///
  /// - Returns: whether one does.
  package func revoke(certificate fingerprint: String) -> Bool {
    var order = AdminAPI.Order("v1", "certificates", fingerprint)
    order.method = "DELETE"
    return answers(order).contains { $0["deleted"]?.elements?.contains(.string(fingerprint)) ?? false }
  }

  /// The answers of all servers that answer.
  private func answers(_ order: AdminAPI.Order) -> [JSONValue] { all.compactMap { (try? $0.perform(order))?.value } }
}
