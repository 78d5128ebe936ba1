import Synchronization

/// The files that settings and scenarios refer to, such as profiles, with the text that was read, so that a tape can
/// carry them to another machine.
package final class SourceFiles: Sendable {
  private let texts: Mutex<[String: String]>
  /// Nil if only files from a tape are available.
  private let limit: Int?

  /// Reads from the disk.
  package init() {
    texts = Mutex([:])
    limit = 1 << 20
  }

  /// Provides only these files.
  package init(recorded: [String: String]) {
    texts = Mutex(recorded)
    limit = nil
  }

  /// All files read so far.
  package var all: [String: String] { texts.withLock { $0 } }

  /// The text of a file, or nil if it cannot be read.
  ///
  /// - Parameter shipped: the text of the shipped file with this name, if there is one.
  func text(of name: String, shipped: String? = nil) -> String? {
    texts.withLock { texts in
      guard let limit else { return texts[name] ?? shipped }
      let text = shipped ?? (try? TextFile.read(name, limit: limit))
      if let text { texts[name] = text }
      return text
    }
  }
}
