#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads the complete input file of a command.
enum InputFile {
  /// Maximum size, in bytes. No push is larger than 5,120 bytes. A larger file is a mistake, but APNs itself should
  /// report it.
  private static let longest = 1 << 20

  /// The bytes of a file, or of standard input for `-`; nil if it cannot be read or is longer than a megabyte.
  static func read(_ path: String) -> [UInt8]? {
    let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { if file != STDIN_FILENO { close(file) } }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= longest {
      let count = part.withUnsafeMutableBytes { readBytes(from: file, into: $0.baseAddress, count: $0.count) }
      if count < 0 { return nil }
      if count == 0 { return bytes }
      bytes += part[..<count]
    }
    return nil
  }
}

/// `read` of the C library, which the name of the function above hides.
private func readBytes(from file: Int32, into bytes: UnsafeMutableRawPointer?, count: Int) -> Int {
  read(file, bytes, count)
}
