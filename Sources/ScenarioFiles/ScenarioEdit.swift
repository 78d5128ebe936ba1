import Configuration
import Grammar
import Yams

/// Writes a key into a scenario file's text, and leaves the rest as its author wrote it where that can be done.
enum ScenarioEdit {
  static func setting(_ key: String, to words: String, in text: String, named name: String) throws(InputProblem)
    -> String
  {
    let (_, root) = try SettingsFile.yaml(text, named: name)
    guard var root, let mapping = root.mapping else { return "\(key): \(words)\n" }
    let longer = text + (text.hasSuffix("\n") ? "" : "\n") + "\(key): \(words)\n"
    // A line at the end does, unless the text is one pair of braces, or has the key.
    if mapping[key] == nil, let root = try? SettingsFile.yaml(longer, named: name).root, root.mapping?[key] != nil {
      return longer
    }
    do {
      root.mapping?[key] = try Yams.compose(yaml: words)
      return try Yams.serialize(node: root)
    } catch {
      throw InputProblem(name, "\(key) cannot be written into it: \(error).")
    }
  }

  /// A list of names in YAML.
  static func list(_ names: [String]) throws(InputProblem) -> String {
    do {
      let node = Node(names.map { Node($0) }, Tag(.implicit), .flow)
      return try Yams.serialize(node: node).split(separator: "\n").joined(separator: " ")
    } catch {
      throw InputProblem("without", "the names of the faults cannot be written: \(error).")
    }
  }
}
