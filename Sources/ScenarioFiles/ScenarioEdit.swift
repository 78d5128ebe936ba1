import Configuration
import Grammar
import Yams

/// Adds a key to a scenario file's text, and preserves the rest if possible.
enum ScenarioEdit {
  static func setting(_ key: String, to words: String, in text: String, named name: String) throws(InputProblem)
    -> String
  {
    let (_, root) = try SettingsFile.yaml(text, named: name)
    guard var root, let mapping = root.mapping else { return "\(key): \(words)\n" }
    let longer = text + (text.hasSuffix("\n") ? "" : "\n") + "\(key): \(words)\n"
    // Appending a line works unless the text is one pair of braces, or has the key.
    if mapping[key] == nil, let root = try? SettingsFile.yaml(longer, named: name).root, root.mapping?[key] != nil {
      return longer
    }
    do {
      root.mapping?[key] = try Yams.compose(yaml: words)
      return try Yams.serialize(node: root)
    } catch {
      throw InputProblem(name, "\(key) cannot be added to it: \(error).")
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
