import APNs
import Grammar
import Reporting
import Timeline

/// What the readers of reports have in common.
extension SettingsFile {
  /// The members of a mapping whose keys are all known.
  func members(
    _ node: SourceNode, _ key: String, known: [String]
  ) throws(InputProblem) -> [SourceNode.Entry] {
    try Fields(node, key, known: known).entries
  }

  func duration(_ node: SourceNode, _ key: String) throws(InputProblem) -> Duration {
    try value(node, key) { try Read.duration($0) }
  }

  func truth(_ node: SourceNode, _ key: String) throws(InputProblem) -> Bool {
    try value(node, key) { try Read.truth($0) }
  }

  /// The address of a backend, as `--backend` takes it.
  func backend(_ node: SourceNode) throws(InputProblem) -> String {
    try value(node, "backend") { try Form.backend.read($0) } ?? ""
  }

  /// Puts a template's problem where it stands in the file.
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
