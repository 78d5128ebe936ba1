import Configuration
import Grammar
import Scenarios
import WireFormats
import Yams

/// Entries that are added to a scenario file, or take the place of what it has.
package struct ScenarioAdditions: Sendable {
  package var faults: [JSONValue] = []
  /// Lists of steps, each beside those of the file.
  package var steps: [[JSONValue]] = []
  /// Settings by their keys, with dots.
  package var settings: [JSONValue.Member] = []
  /// Used only if the file has no quiet time.
  package var quiet: String?
  /// Takes the place of the length of the file.
  package var length: String?
  package var name: String?
  /// Takes the place of the expectations of the file.
  package var expect: [JSONValue]?
  /// Gives the path by which a file of another folder names what the file names by a path; nil to leave paths as they
  /// are.
  package var path: (@Sendable (String) -> String)?

  package init() {}

  /// True if nothing but a quiet time is added.
  private var isQuietOnly: Bool {
    faults.isEmpty && steps.isEmpty && settings.isEmpty && length == nil && name == nil && expect == nil && path == nil
  }

  /// Adds them to the text of a file. Comments and quotes of the file are lost, unless only a quiet time is added.
  func added(to text: String, named name: String) throws(InputProblem) -> String {
    if let quiet, isQuietOnly {
      let (_, root) = try SettingsFile.yaml(text, named: name)
      return root?.mapping?["quiet"] == nil
        ? try ScenarioEdit.setting("quiet", to: quiet, in: text, named: name) : text
    }
    let (_, root) = try SettingsFile.yaml(text, named: name)
    guard var root, root.mapping != nil else { throw InputProblem(name, "a scenario must be an object.") }
    if let name = self.name { root.mapping?["name"] = Node(name) }
    if let length { root.mapping?["for"] = Node(length) }
    if let quiet, root.mapping?["quiet"] == nil { root.mapping?["quiet"] = Node(quiet) }
    try append(faults, to: "faults", of: &root)
    try addSteps(to: &root)
    for member in settings { try Self.set(member, in: &root) }
    if let expect { root.mapping?["expect"] = Node(try expect.map(Self.node)) }
    if let path { Self.move(by: path, in: &root) }
    do {
      return try Yams.serialize(node: root, width: -1)
    } catch {
      throw InputProblem(name, "it cannot be written: \(error).")
    }
  }

  /// Times in a list must ascend, so each list of further steps counts for itself.
  private func addSteps(to root: inout Node) throws(InputProblem) {
    guard !steps.isEmpty else { return }
    var lists: [Node] = []
    if let own = root.mapping?["steps"] { lists.append(Node([(Node("serial"), own)])) }
    for list in steps { lists.append(Node([(Node("serial"), Node(try list.map(Self.node)))])) }
    root.mapping?["steps"] = Node([Node([(Node("parallel"), Node(lists))])])
  }

  /// Changes the paths that are relative to the file's folder: the backend's folder, and profiles in files.
  private static func move(by path: (String) -> String, in root: inout Node) {
    if var backend = root.mapping?["backend"], backend.mapping?["command"] != nil {
      let directory = path(backend.mapping?["directory"]?.string ?? ".")
      backend.mapping?["directory"] = Node(directory)
      root.mapping?["backend"] = backend
    }
    guard let settings = root.mapping?["settings"] else { return }
    root.mapping?["settings"] = moved(settings, by: path)
  }

  /// Settings with other paths of profiles. Keys may be nested, or written with dots.
  private static func moved(_ settings: Node, by path: (String) -> String) -> Node {
    var copy = settings
    if let fleet = copy.mapping?["fleet"], let apps = fleet.mapping?["apps"]?.sequence {
      copy.mapping?["fleet"]?.mapping?["apps"] = moved(apps, by: path)
    }
    if let apps = copy.mapping?["fleet.apps"]?.sequence { copy.mapping?["fleet.apps"] = moved(apps, by: path) }
    return copy
  }

  private static func moved(_ apps: Node.Sequence, by path: (String) -> String) -> Node {
    var copy = apps
    for index in copy.indices {
      guard let profile = copy[index].mapping?["profile"]?.string,
        !ShippedProfile.all.contains(where: { $0.name == profile })
      else { continue }
      copy[index].mapping?["profile"] = Node(path(profile))
    }
    return .sequence(copy)
  }

  private func append(_ entries: [JSONValue], to key: String, of root: inout Node) throws(InputProblem) {
    guard !entries.isEmpty else { return }
    var list = root.mapping?[key]?.array() ?? []
    for entry in entries { list.append(try Self.node(entry)) }
    root.mapping?[key] = Node(list)
  }

  /// Sets one key, which may be written with dots or nested, or partly so.
  private static func set(_ member: JSONValue.Member, in root: inout Node) throws(InputProblem) {
    let value = try node(member.value)
    let parts = member.key.split(separator: ".").map(String.init)
    let settings = root.mapping?["settings"] ?? Node([(Node, Node)]())
    root.mapping?["settings"] = nested(value, at: parts[...], in: settings)
  }

  private static func nested(_ value: Node, at path: ArraySlice<String>, in node: Node) -> Node {
    guard let first = path.first else { return value }
    var node = node.mapping == nil ? Node([(Node, Node)]()) : node
    // A key in dots at this level would be given twice.
    node.mapping?[Node(path.joined(separator: "."))] = nil
    let inner = node.mapping?[Node(first)] ?? Node([(Node, Node)]())
    node.mapping?[Node(first)] = nested(value, at: path.dropFirst(), in: inner)
    return node
  }

  private static func node(_ value: JSONValue) throws(InputProblem) -> Node {
    do {
      return try Yams.compose(yaml: value.text) ?? Node("")
    } catch {
      throw InputProblem("an addition", "it cannot be written as YAML: \(error).")
    }
  }
}

extension ScenarioFile {
  /// Returns this scenario with additions.
  package func with(_ additions: ScenarioAdditions) throws(InputProblem) -> ScenarioFile {
    let text = try additions.added(to: text, named: scenario.file)
    return try .parse(text, named: scenario.file, seed: scenario.seed, live: live, files: files)
  }
  /// The text of a file of this scenario with additions.
  package func text(with additions: ScenarioAdditions, seed: UInt64) throws(InputProblem) -> String {
    let text = try additions.added(to: text, named: scenario.file)
    return try ScenarioEdit.setting("seed", to: "\(seed)", in: text, named: scenario.file)
  }
}
