import APNs
import Reporting
import Timeline
import Yams

/// What the readers of reports have in common.
extension SettingsFile {
  /// The members of a mapping whose keys are all known.
  func members(
    _ node: Node, _ key: String, known: [String]
  ) throws(ConfigurationProblem) -> [(name: Node, key: String, value: Node)] {
    guard let mapping = node.mapping else {
      throw ConfigurationProblem(place(node), "\(key) holds keys of its own: \(known.joined(separator: ", ")).")
    }
    var list: [(name: Node, key: String, value: Node)] = []
    for (name, value) in mapping {
      guard let word = name.string, known.contains(word) else {
        throw unknown(name.string ?? "?", at: name, known: known)
      }
      list.append((name, word, value))
    }
    return list
  }

  func duration(_ node: Node, _ key: String) throws(ConfigurationProblem) -> Duration {
    let text = try scalar(node, key)
    do {
      return try Read.duration(text)
    } catch {
      throw ConfigurationProblem(place(node), "\(key) must be \(error.wanted), not \"\(text)\".")
    }
  }

  func truth(_ node: Node, _ key: String) throws(ConfigurationProblem) -> Bool {
    let text = try scalar(node, key)
    do {
      return try Read.truth(text)
    } catch {
      throw ConfigurationProblem(place(node), "\(key) must be \(error.wanted), not \"\(text)\".")
    }
  }

  /// The address of a backend, as `--backend` takes it.
  func backend(_ node: Node) throws(ConfigurationProblem) -> String {
    let text = try scalar(node, "backend")
    do {
      return try Form.backend.read(text) ?? ""
    } catch {
      let wanted = (error as? ValueProblem)?.wanted ?? "a URL"
      throw ConfigurationProblem(place(node), "backend must be \(wanted), not \"\(text)\".")
    }
  }

  /// Puts a template's problem where it stands in the file.
  func saying<Result>(
    _ node: Node, _ body: () throws(TemplateProblem) -> Result
  ) throws(ConfigurationProblem) -> Result {
    do {
      return try body()
    } catch {
      let words = error.description
      throw ConfigurationProblem(place(node), words.hasSuffix(".") || words.hasSuffix("?") ? words : words + ".")
    }
  }
}
