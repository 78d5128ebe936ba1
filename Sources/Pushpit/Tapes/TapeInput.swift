#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The file of a tape, open for reading.
package struct TapeInput: ~Copyable {
  private let path: String
  private let file: Int32

  package init(_ path: String) throws(ReplayProblem) {
    self.path = path
    file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ReplayProblem("\(path) cannot be read: \(String(cString: strerror(errno))).") }
  }

  deinit { _ = close(file) }

  /// At most this many bytes; nil at the end.
  package func read(_ most: Int) throws(ReplayProblem) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: most)
    while true {
      let count = bytes.withUnsafeMutableBytes { readBytes(from: file, into: $0.baseAddress, count: $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw ReplayProblem("\(path) cannot be read: \(String(cString: strerror(errno))).") }
      bytes.removeLast(most - count)
      return count == 0 ? nil : bytes
    }
  }
}

/// `read` of the C library, which the name of the method above hides.
private func readBytes(from file: Int32, into bytes: UnsafeMutableRawPointer?, count: Int) -> Int {
  read(file, bytes, count)
}
