import Foundation
import Pushpit
import Signing

/// The tape of a run with a real backend, which only a tape can reproduce: written for each run, and kept if the run
/// failed.
struct RunTape {
  let path: String

  /// Maximum number and total size of kept tapes of failed runs; the oldest are removed.
  private static let most = 20
  private static let mostBytes = 512 << 20
  private static let suffix = ".tape"

  /// A path for a tape in the state folder; nil if it is not writable, which does not prevent the run.
  ///
  /// - Parameter name: the scenario's name.
  init?(_ state: StateFolder, name: String, seed: UInt64) {
    let folder = state.path + "/tapes"
    guard (try? KeyFile.makeDirectory(folder)) != nil else { return nil }
    let letters = name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(60)
    var place = Array("\(folder)/\(String(letters))-seed\(seed)-XXXXXX\(Self.suffix)".utf8CString)
    let file = mkstemps(&place, Int32(Self.suffix.utf8.count))
    guard file >= 0 else { return nil }
    close(file)
    path = String(decoding: place.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func remove() { unlink(path) }

  /// Removes it after a run that was not played, and its folder if it is the only one there.
  func discard() {
    remove()
    rmdir(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Keeps it, and as many earlier ones as there is room for.
  func keep() {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let keys: [URLResourceKey] = [.contentModificationDateKey, .fileSizeKey]
    let all = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: keys)) ?? []
    let tapes = all.filter { $0.lastPathComponent.hasSuffix(Self.suffix) }.compactMap { url in
      (try? url.resourceValues(forKeys: Set(keys))).map { facts in
        (path: url.path, at: facts.contentModificationDate ?? .distantPast, bytes: facts.fileSize ?? 0)
      }
    }
    // By name too, so that the order is fixed within a second.
    var room = Self.mostBytes
    for (place, tape) in tapes.sorted(by: { ($0.at, $0.path) > ($1.at, $1.path) }).enumerated() {
      room -= tape.bytes
      // A run that is still going writes its tape.
      guard place >= Self.most || room < 0, tape.path != path, !OutputClaim.isInUse(tape.path) else { continue }
      unlink(tape.path)
    }
  }
}
