import Configuration
import Grammar
import Signing
import Simulation
import WireFormats

/// A list of a state folder: a JSON object with one array.
struct StateList: Sendable {
  /// Problem of a list that cannot be used: a sentence that names its file and the remedy.
  struct Problem: Error {
    let description: String
  }

  let folder: String
  let path: String
  /// The name of the array.
  let member: String
  /// The members of an entry, of which the first is its id.
  let known: [String]
  /// The command that writes the file.
  let writer: String
  /// A list without entries, as part of a sentence.
  let fresh: String

  /// Maximum size in bytes.
  static let longest = 1 << 20

  /// Entries of the list; empty if there is no file.
  ///
  /// - Parameter read: reads one of them.
  func read<Entry>(_ read: (StateEntry) throws(StateEntry.Flaw) -> Entry) throws(Problem) -> [Entry] {
    let values = try values()
    do throws(StateEntry.Flaw) {
      var entries: [Entry] = []
      var ids: Set<String> = []
      for (number, value) in values.enumerated() {
        let entry = try StateEntry(value, at: "\(member)[\(number)]", known: known)
        entries.append(try read(entry))
        let id = try entry.neededText(known[0])
        guard ids.insert(id).inserted else {
          throw entry.flaw("has the \(known[0]) \(id) of an entry before it: each must be there once.")
        }
      }
      return entries
    } catch {
      throw Problem(description: "\(path): \(error) \(advice)")
    }
  }

  private func values() throws(Problem) -> [JSONValue] {
    guard !StateFolder.isMissing(path) else { return [] }
    if let reason = StateFolder.brokenLink(path) {
      throw Problem(description: "\(path): it is a symbolic link that leads to no file (\(reason)). \(advice)")
    }
    do {
      let list = try JSONValue.parse(try KeyFile.readBytes(path, limit: Self.longest))
      guard let entries = list[member]?.elements, list.members?.count == 1 else {
        throw Problem(description: "\(path): it must be a JSON object with the array \(member) only. \(advice)")
      }
      return entries
    } catch let problem as Problem {
      throw problem
    } catch let problem as JSONProblem {
      throw Problem(description: "\(place): invalid JSON (\(problem.description)). \(advice)")
    } catch {
      // The error names the file, which needs no repair if the folder is another user's.
      throw Problem(description: folderFlaw ?? "\(error) \(advice)")
    }
  }

  private var folderFlaw: String? {
    do throws(SigningFailure) {
      try FolderRights.check(folder)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private var advice: String { "`\(writer)` writes this file; repair it, or move it away to start with \(fresh)." }

  /// The path with the line of the error. The YAML reader finds it, because nearly all JSON is YAML.
  private var place: String {
    guard let text = try? KeyFile.read(path, limit: Self.longest) else { return path }
    do throws(InputProblem) {
      _ = try SettingsFile.compose(text, named: path)
      return path
    } catch {
      return error.place
    }
  }
}

extension StateFolder {
  var keyList: StateList {
    StateList(
      folder: path, path: keyListPath, member: "keys",
      known: ["keyId", "teamId", "environment", "topics", "related", "p8", "publicKey", "made"], writer: "pushpit keys",
      fresh: "a new key")
  }

  var providerList: StateList {
    StateList(
      folder: path, path: providerListPath, member: "certificates",
      known: [
        "fingerprint", "commonName", "topics", "environments", "notAfter", "file", "registered", "revoked",
      ], writer: "pushpit certs", fresh: "an empty list")
  }
}

extension SigningFailure {
  /// The kind of problem for an order that was to change the folder.
  var kind: CommandProblem.Kind {
    switch self {
    case .folderLocked: .busy
    case .unreadable, .notAFile, .unwritable, .unremovable, .folderNotMade, .folderOpen, .folderForeign, .foreignLink:
      .failed
    default: .impossible
    }
  }
}
