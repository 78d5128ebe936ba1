import APNs
import Grammar
import Reporting
import Timeline

/// Helpers shared by the readers of reports.
extension SettingsFile {
  /// The members of a mapping, all of whose keys must be known.
  func members(
    _ node: SourceNode, _ key: String, known: [String]
  ) throws(InputProblem) -> [SourceNode.Entry] {
    try Fields(node, key, known: known).entries
  }

  func duration(_ node: SourceNode, _ key: String) throws(InputProblem) -> Duration {
    try value(node, key: key) { try Read.duration($0) }
  }

  func truth(_ node: SourceNode, _ key: String) throws(InputProblem) -> Bool {
    try value(node, key: key) { try Read.truth($0) }
  }

  /// The URL of a backend, as for `--backend`.
  func backend(_ node: SourceNode) throws(InputProblem) -> String {
    try value(node, key: "backend") { try Form.backend.read($0) } ?? ""
  }

  /// Adds the place in the file to a template's problem.
  func saying<Result>(
    _ node: SourceNode, _ body: () throws(TemplateProblem) -> Result
  ) throws(InputProblem) -> Result {
    do {
      return try body()
    } catch {
      let words = error.description
      throw InputProblem(node.place, words.hasSuffix(".") || words.hasSuffix("?") ? words : words + ".")
    }
  }
}
