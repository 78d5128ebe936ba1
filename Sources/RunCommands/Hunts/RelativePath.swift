import Foundation

/// Paths as a file of one folder names what a file of another names by a path of its own.
enum RelativePath {
  static func folder(of file: String) -> String {
    URL(fileURLWithPath: file).deletingLastPathComponent().standardizedFileURL.path
  }

  /// - Parameters:
  ///   - path: absolute, or relative to `folder`.
  ///   - from: the folder of the file that is to name it.
  static func of(_ path: String, in folder: String, from: String) -> String {
    guard !path.hasPrefix("/"), !path.hasPrefix("~") else { return path }
    let base = URL(fileURLWithPath: folder, isDirectory: true)
    let target = parts(URL(fileURLWithPath: path, relativeTo: base))
    let start = parts(URL(fileURLWithPath: from, isDirectory: true))
    let common = zip(target, start).prefix { $0 == $1 }.count
    let steps = Array(repeating: "..", count: start.count - common) + target.dropFirst(common)
    return steps.isEmpty ? "." : steps.joined(separator: "/")
  }

  private static func parts(_ url: URL) -> [String] {
    url.standardizedFileURL.resolvingSymlinksInPath().pathComponents.filter { $0 != "/" }
  }
}
