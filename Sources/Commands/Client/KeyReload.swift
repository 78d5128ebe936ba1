import Pushpit
import WireFormats

/// Lets the server of a state folder, if one runs, take over the folder's list of keys.
package enum KeyReload {
  /// - Returns: whether a server has added or revoked keys.
  package static func changes(of folder: StateFolder) -> Bool {
    guard let answer = try? AdminAPI(noted: folder)?.perform(.init(post: ["v1", "keys", "reload"], [:])) else {
      return false
    }
    return ["added", "revoked"].contains { !(answer.value[$0]?.elements ?? []).isEmpty }
  }
}
