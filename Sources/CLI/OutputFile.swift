#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that a command writes, whole.
enum OutputFile {
  static func write(_ text: String, to path: String) throws(Failed) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw Failed("\(path) cannot be written: \(String(cString: strerror(errno))).") }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeBytes(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failed("\(path) cannot be written: \(String(cString: strerror(errno))).") }
      rest = rest.dropFirst(count)
    }
  }
}

/// `write` of the C library, which the name of the function above hides.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }
