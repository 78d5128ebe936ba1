#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Absolute paths, which lead to the same file from any working directory.
package enum AbsolutePath {
  package static func of(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    if path.hasPrefix("~/"), let home = variable("HOME") { return home + path.dropFirst() }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// An environment variable; nil if it is empty, too.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
