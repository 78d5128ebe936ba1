import Signing
import Synchronization

/// The files that settings and scenarios name beside themselves, such as profiles: each as it was read, so that a tape
/// can carry them to a machine that does not have them.
package final class SourceFiles: Sendable {
  private let texts: Mutex<[String: String]>
  /// Nil where nothing is read but what a tape has brought.
  private let limit: Int?

  /// Reads from the disk.
  package init() {
    texts = Mutex([:])
    limit = 1 << 20
  }

  /// Knows these and no others.
  package init(recorded: [String: String]) {
    texts = Mutex(recorded)
    limit = nil
  }

  /// All that were asked for so far.
  package var all: [String: String] { texts.withLock { $0 } }

  /// The text of a file, or nil where it cannot be read.
  ///
  /// - Parameter shipped: the text that comes with the program under this name, where one does.
  func text(of name: String, shipped: String? = nil) -> String? {
    texts.withLock { texts in
      guard let limit else { return texts[name] ?? shipped }
      let text = shipped ?? (try? KeyFile.read(name, limit: limit))
      if let text { texts[name] = text }
      return text
    }
  }
}
