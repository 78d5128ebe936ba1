import Foundation
import Testing
import WireFormats

/// The finds of earlier hunts of a test, in a file.
struct KeptFinds {
  let path: String
  private let test: String
  private(set) var all: [JSON] = []

  /// - Parameter testCase: nil for a test without parameters.
  init(of test: Test, _ testCase: Test.Case?) throws(PushpitError) {
    let name = Self.name(of: test)
    let test = testCase.map { $0.isParameterized ? "\(name) \(Self.name(of: $0))" : name } ?? name
    self.test = test
    let words = name.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-").suffix(80)
    // FNV-1a: the same in each process.
    let digest = test.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    path = ".pushpit/hunts/\(words)-\(String(digest, radix: 16)).json"
    guard let bytes = FileManager.default.contents(atPath: path) else { return }
    let file = (try? JSONValue.parse(Array(bytes))).map { JSON(value: $0) }
    guard let examples = file?["examples"].array, examples.allSatisfy({ $0["perturbations"].array != nil }) else {
      throw PushpitError(.misuse, "\(path) is not what a hunt keeps; delete it.")
    }
    all = examples
  }

  /// The id of the test without its line, which changes with the lines above.
  static func name(of test: Test) -> String { "\(test.id)".replacing(/:\d+:\d+$/, with: "") }

  /// The description of the case without addresses, which differ in each process.
  static func name(of testCase: Test.Case) -> String {
    "\(testCase)".replacing(/\(unknown context at \$[0-9a-f]+\)\./, with: "")
  }

  mutating func add(_ find: JSON) {
    guard !all.contains(where: { $0["perturbations"] == find["perturbations"] }) else { return }
    all.append(["words": find["words"], "perturbations": find["perturbations"], "failure": find["failure"]])
  }

  /// Drops the find with these faults.
  mutating func drop(_ faults: JSON) {
    let entries = FaultKey(faults)
    all.removeAll { FaultKey(JSON($0["perturbations"].rows.map { $0["entry"] })) == entries }
  }

  /// Writes the file, or removes it if nothing is left.
  ///
  /// - Returns: a sentence if that was not possible.
  func write() -> String? {
    let files = FileManager.default
    guard !all.isEmpty else {
      try? files.removeItem(atPath: path)
      return nil
    }
    do {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      try files.createDirectory(at: folder, withIntermediateDirectories: true)
      let text = JSON(["test": JSON(test), "examples": JSON(all)]).description
      try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      return nil
    } catch {
      return "What was found could not be kept in \(path): \(error.localizedDescription)"
    }
  }
}
