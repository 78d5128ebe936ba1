import ClientCommands
import Foundation
import Grammar
import Pushpit
import Signing

/// The folder for the scenarios that a hunt has found. It is claimed when the hunt begins, so that nobody hunts for an
/// hour and loses what was found; a folder that was created and stays empty is removed.
package final class HuntFolder {
  private let path: String
  private let isNew: Bool
  /// Holds the folder's lock, so that two hunts do not overwrite each other's files.
  private let lock: Descriptor?

  /// Creates the folder if it is not there.
  package init(_ path: String) throws(CommandFailure) {
    self.path = path
    isNew = access(path, F_OK) != 0
    do throws(SigningFailure) {
      try KeyFile.makeDirectory(path)
    } catch {
      throw CommandFailure("--into: \(error)", .invalid)
    }
    guard access(path, W_OK) == 0 else { throw CommandFailure("--into: \(path) cannot be written to.", .invalid) }
    do throws(Descriptor.SystemError) {
      let folder = try Descriptor(path, O_RDONLY | O_DIRECTORY)
      guard try folder.tryLock(shared: false) else { throw Descriptor.SystemError(code: EWOULDBLOCK) }
      lock = consume folder
    } catch {
      guard error.code != EWOULDBLOCK else {
        throw CommandFailure("--into: another hunt writes to \(path); name another folder.", .invalid)
      }
      // Some file systems have no locks.
      lock = nil
    }
  }

  deinit { if isNew { rmdir(path) } }

  /// Writes the scenarios, in place of those of the same names.
  package func write(_ files: [HuntReport.FindFile]) throws(CommandFailure) {
    for file in files {
      do {
        try Data(file.text.utf8).write(to: URL(fileURLWithPath: path).appending(path: file.name), options: .atomic)
      } catch {
        throw CommandFailure("\(path)/\(file.name) cannot be written: \(error.localizedDescription).", .invalid)
      }
    }
  }
}
