import APNs
import Grammar
import Reporting
import Timeline

/// What the readers of reports have in common.
extension SettingsFile {
  /// The members of a mapping whose keys are all known.
  func members(
    _ node: SourceNode, _ key: String, known: [String]
  ) throws(InputProblem) -> [(name: SourceNode, key: String, value: SourceNode)] {
    guard let mapping = node.pairs else {
      throw InputProblem(node.place, "\(key) holds keys of its own: \(known.joined(separator: ", ")).")
    }
    var list: [(name: SourceNode, key: String, value: SourceNode)] = []
    for (name, value) in mapping {
      guard let word = name.text, known.contains(word) else {
        throw unknown(name.text ?? "?", at: name, known: known)
      }
      list.append((name, word, value))
    }
    return list
  }

  func duration(_ node: SourceNode, _ key: String) throws(InputProblem) -> Duration {
    let text = try scalar(node, key)
    do {
      return try Read.duration(text)
    } catch {
      throw InputProblem(node.place, "\(key) must be \(error.wanted), not \"\(text)\".")
    }
  }

  func truth(_ node: SourceNode, _ key: String) throws(InputProblem) -> Bool {
    let text = try scalar(node, key)
    do {
      return try Read.truth(text)
    } catch {
      throw InputProblem(node.place, "\(key) must be \(error.wanted), not \"\(text)\".")
    }
  }

  /// The address of a backend, as `--backend` takes it.
  func backend(_ node: SourceNode) throws(InputProblem) -> String {
    let text = try scalar(node, "backend")
    do {
      return try Form.backend.read(text) ?? ""
    } catch {
      let wanted = (error as? ValueProblem)?.wanted ?? "a URL"
      throw InputProblem(node.place, "backend must be \(wanted), not \"\(text)\".")
    }
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
