import ClientCommands
import Foundation
import Grammar

/// The folder for the scenarios that a hunt has found.
package struct HuntFolder {
  private let path: String

  /// Creates the folder if it is not there.
  package init(_ path: String) throws(CommandFailure) {
    self.path = path
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw CommandFailure("--into: \(path) cannot be created: \(error.localizedDescription).", .invalid)
    }
  }

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
