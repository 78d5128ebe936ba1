import Foundation
import ScenarioFiles
import Scenarios
import Simulation
import Testing

/// The scenarios that are shipped, and those that the guide shows.
enum ScenarioFolder {
  static let path = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Scenarios").path

  static let stories: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted()
  }()

  static func read(_ name: String) throws -> Scenario { try ScenarioFile.read("\(path)/\(name)").scenario }

  static func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

  struct Example: CustomStringConvertible {
    let line: Int
    let text: String
    let fails: Bool
    var description: String { "README.md:\(line)" }
  }

  /// The YAML of the guide.
  static let examples: [Example] = {
    let lines = ((try? text("README.md")) ?? "").components(separatedBy: "\n")
    var all: [Example] = []
    var open: (line: Int, fails: Bool, lines: [String])?
    for (number, line) in lines.enumerated() {
      if let example = open {
        if line == "```" {
          all.append(Example(line: example.line, text: example.lines.joined(separator: "\n"), fails: example.fails))
          open = nil
        } else {
          open?.lines.append(line)
        }
      } else if line.hasPrefix("```yaml"), !line.hasSuffix("run") {
        open = (number + 1, line.hasSuffix("fails"), [])
      }
    }
    return all
  }()
}
