#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A text file that the user named.
package enum TextFile {
  /// The reason why a file cannot be read, as the end of a sentence.
  package struct Obstacle: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// The text of an ordinary file; one longer than `limit` bytes is refused.
  package static func read(_ path: String, limit: Int) throws(Obstacle) -> String {
    // Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw .system }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw .system }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw Obstacle(description: "it is a folder or a device, not a file")
    }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = readBytes(from: file, into: &part, count: part.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system }
      if count == 0 { break }
      bytes += part[..<count]
    }
    guard bytes.count <= limit else { throw Obstacle(description: "it is longer than \(limit) bytes") }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Obstacle(description: "it is not text in UTF-8")
    }
    return text
  }
}

extension TextFile.Obstacle {
  /// The last error of the system.
  fileprivate static var system: TextFile.Obstacle {
    let reason = String(cString: strerror(errno))
    return TextFile.Obstacle(description: reason.prefix(1).lowercased() + reason.dropFirst())
  }
}

/// `read` of the C library, which the name of the function above hides.
private func readBytes(from file: Int32, into bytes: UnsafeMutableRawPointer, count: Int) -> Int {
  read(file, bytes, count)
}
