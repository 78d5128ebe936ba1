import Foundation
import Synchronization

/// A folder for the keys and certificates of one server. It is removed with its last reference, or when the process
/// exits.
final class StateDirectory: Sendable {
  let path: String

  init() throws(PushpitError) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pushpit-testing-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw PushpitError(.start, "No folder can be made for the server's keys: \(error.localizedDescription)")
    }
    path = folder.path
    LeftFolders.add(path)
  }

  /// Writes a file that only this user can read, and returns its path.
  func add(_ name: String, _ text: String) throws(PushpitError) -> String {
    let file = "\(path)/\(name)"
    let isWritten = FileManager.default.createFile(
      atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isWritten else { throw PushpitError(.start, "\(file) cannot be written.") }
    return file
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
    LeftFolders.drop(path)
  }
}

/// The folders to remove when the process exits. A server that serves all tests is never released.
private enum LeftFolders {
  private struct State {
    var paths: Set<String> = []
    var isRegistered = false
  }

  private static let state = Mutex(State())

  static func add(_ path: String) {
    state.withLock { state in
      state.paths.insert(path)
      guard !state.isRegistered else { return }
      state.isRegistered = true
      atexit { LeftFolders.removeAll() }
    }
  }

  static func drop(_ path: String) { state.withLock { _ = $0.paths.remove(path) } }

  private static func removeAll() {
    for path in state.withLock({ $0.paths }) { try? FileManager.default.removeItem(atPath: path) }
  }
}
