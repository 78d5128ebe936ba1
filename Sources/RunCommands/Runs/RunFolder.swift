import Foundation
import Pushpit

/// A folder for the files of one run, removed with its last reference.
final class RunFolder {
  let path: String

  init() throws(StartFailure) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var name = Array("\(base)/pushpit-run-XXXXXX".utf8CString)
    guard let made = mkdtemp(&name) else {
      throw StartFailure(
        "no folder can be created in \(base) for the files of a run: \(String(cString: strerror(errno))).")
    }
    path = String(cString: made)
  }

  // A backend may have put files of its own there.
  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The ready line of `pushpit serve`.
  var ready: String { path + "/ready.json" }
  /// The backend's output.
  var log: String { path + "/backend.log" }
}
