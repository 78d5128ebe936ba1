import APNs
import Devices
import Grammar
import Simulation
import WireFormats
import Yams

/// Reads settings from a YAML file. Every problem names the file and the line.
package struct SettingsFile {
  let name: String
  /// True for a scenario, in which problems name a column besides the line.
  private var isScenario = false
  /// The source of the files that this file names.
  let files: SourceFiles

  /// The path of a file that this file names. In a scenario, relative paths count from the scenario's file.
  func path(of file: String) -> String {
    guard isScenario, !file.hasPrefix("/"), let slash = name.lastIndex(of: "/") else { return file }
    return name[...slash] + file
  }

  /// Applies a file's text to settings.
  ///
  /// - Parameter name: the file's name as the user gave it, for messages.
  package static func apply(_ text: String, named name: String, to settings: inout Settings) throws(InputProblem) {
    let given = try read(text, named: name, into: &settings)
    try settings.apply(given)
  }

  /// Applies the lists of a file to settings, and returns its single values.
  static func read(
    _ text: String, named name: String, into settings: inout Settings, files: SourceFiles = SourceFiles()
  ) throws(InputProblem) -> [SettingAssignment] {
    let (file, root) = try compose(text, named: name, files: files)
    guard let root else { return [] }
    guard let mapping = root.pairs else {
      throw InputProblem(root.place, "a configuration must be a mapping of keys and values such as `fleet:`.")
    }
    var given: [SettingAssignment] = []
    try file.read(mapping, under: "", into: &settings, &given)
    return given
  }

  /// Applies the lists of settings inside another file to settings, and returns their single values.
  package func read(_ node: SourceNode, into settings: inout Settings) throws(InputProblem) -> [SettingAssignment] {
    guard let mapping = node.pairs else {
      throw InputProblem(node.place, "settings must be a mapping of keys and values such as `fleet:`.")
    }
    var given: [SettingAssignment] = []
    try read(mapping, under: "", into: &settings, &given)
    return given
  }

  /// Parses YAML, with the places of its parts.
  package static func compose(
    _ text: String, named name: String, isScenario: Bool = false, files: SourceFiles = SourceFiles()
  ) throws(InputProblem) -> (file: SettingsFile, root: SourceNode?) {
    let (file, root) = try yaml(text, named: name, isScenario: isScenario, files: files)
    return (file, root.map { SourceNode($0, file.place) })
  }

  /// Parses YAML, limited in size.
  package static func yaml(
    _ text: String, named name: String, isScenario: Bool = false, files: SourceFiles = SourceFiles()
  ) throws(InputProblem) -> (file: SettingsFile, root: Node?) {
    let file = SettingsFile(name: name, isScenario: isScenario, files: files)
    // YAML allows a byte order mark, and libyaml takes it for a document if the encoding is known.
    let text = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    if let flaw = YAMLGuard.flaw(in: text) {
      throw InputProblem("\(name):\(flaw.line):\(flaw.column)", flaw.sentence)
    }
    let root: Node?
    do {
      root = try Yams.compose(yaml: text)
    } catch {
      throw file.broken(error, text)
    }
    if let root, let node = YAMLSize.excess(of: root) {
      throw InputProblem(
        file.place(node), "with its aliases, the file has more than \(YAMLSize.mostNodes) values.")
    }
    return (file, root)
  }

  private func read(
    _ mapping: [(key: SourceNode, value: SourceNode)], under prefix: String, into settings: inout Settings,
    _ given: inout [SettingAssignment]
  ) throws(InputProblem) {
    for (keyNode, value) in mapping {
      guard let word = keyNode.text else {
        throw InputProblem(keyNode.place, "a key must be a word.")
      }
      let key = prefix + word
      switch key {
      case "fleet.apps": settings.apps = try AppSettings(file: self).read(value)
      case "fleet.os" where !value.isScalar: settings.mix = try mix(value)
      case "keys": settings.keys = try KeySettings(file: self).read(value)
      default: try read(key, value: value, keyNode: keyNode, into: &settings, given: &given)
      }
    }
  }

  private func read(
    _ key: String, value: SourceNode, keyNode: SourceNode, into settings: inout Settings,
    given: inout [SettingAssignment]
  ) throws(InputProblem) {
    let keys = Setting.table.map(\.key) + ["fleet.apps", "keys"]
    if let setting = Setting.named(key) {
      let text =
        if setting.isList, value.elements != nil {
          try strings(value, key).joined(separator: ",")
        } else {
          try scalar(value, key)
        }
      given.append(
        SettingAssignment(setting: setting, text: text.isEmpty && setting.isList ? "none" : text, place: value.place))
    } else if keys.contains(where: { $0.hasPrefix(key + ".") }) {
      guard let mapping = value.pairs else {
        let inside = keys.filter { $0.hasPrefix(key + ".") }.map { $0.dropFirst(key.count + 1) }
        throw InputProblem(value.place, "\(key) must have keys: \(inside.joined(separator: ", ")).")
      }
      try read(mapping, under: key + ".", into: &settings, &given)
    } else {
      throw Setting.unknown(key, at: keyNode.place)
    }
  }

  private func mix(_ node: SourceNode) throws(InputProblem) -> [FleetPlan.VersionShare] {
    guard let mapping = node.pairs, !mapping.isEmpty else {
      throw InputProblem(node.place, "fleet.os must name versions and their shares, such as `18.5: 35`.")
    }
    var shares: [FleetPlan.VersionShare] = []
    for (version, parts) in mapping {
      guard let os = version.text.flatMap(OSVersion.init), let count = parts.spelling.flatMap({ Int64($0) }),
        (0...1_000_000).contains(count)
      else {
        throw InputProblem(
          version.place, "fleet.os must name versions and their shares as whole numbers, such as `18.5: 35`.")
      }
      shares.append(FleetPlan.VersionShare(os, parts: UInt64(count)))
    }
    guard shares.contains(where: { $0.parts > 0 }) else {
      throw InputProblem(node.place, "fleet.os must give at least one version a share above 0.")
    }
    return shares
  }

  // MARK: - Helpers of other readers

  private func place(_ node: Node) -> String { node.mark.map { place($0) } ?? name }

  private func place(_ mark: Mark) -> String { place(mark.line, mark.column) }

  private func place(_ line: Int, _ column: Int) -> String { "\(name):\(line)" + (isScenario ? ":\(column)" : "") }

  /// The problem of an unknown name.
  func unknown(_ name: String, at node: SourceNode, known: [String]) -> InputProblem {
    let hint = SpellingSuggestion.nearest(to: name, among: known).map { "did you mean \($0)?" }
    return InputProblem(
      "there is no \(name) here; \(hint ?? "valid keys are \(Wording.list(known)).")", field: name, at: node.place,
      code: .notFound)
  }

  /// Reads a single value in the spelling of settings.
  func value<Value>(
    _ node: SourceNode, key: String, _ read: (String) throws -> Value
  ) throws(InputProblem) -> Value {
    let text = try scalar(node, key)
    do {
      return try read(text)
    } catch let problem as ValueProblem {
      throw problem.of(key, text, at: node.place)
    } catch {
      throw InputProblem("\(key): \(error)", field: key, at: node.place)
    }
  }

  func scalar(_ node: SourceNode, _ key: String) throws(InputProblem) -> String {
    guard let text = node.spelling else {
      throw InputProblem("\(key) must be a single value.", field: key, at: node.place, code: .wrongType)
    }
    return text
  }

  func strings(_ node: SourceNode, _ key: String) throws(InputProblem) -> [String] {
    guard let sequence = node.elements else {
      throw InputProblem("\(key) must be a list such as [a, b].", field: key, at: node.place, code: .wrongType)
    }
    var list: [String] = []
    for element in sequence { list.append(try scalar(element, key)) }
    return list
  }

  /// The entries of a list of mappings, each with its known keys.
  func entries(_ node: SourceNode, _ key: String, known: [String]) throws(InputProblem) -> [(
    SourceNode, [String: SourceNode]
  )] {
    guard let sequence = node.elements else {
      throw InputProblem(node.place, "\(key) must be a list, each entry beginning with a dash.")
    }
    var entries: [(SourceNode, [String: SourceNode])] = []
    for element in sequence {
      let fields = try Fields(element, "an entry of \(key)", known: known)
      entries.append((element, Dictionary(fields.entries.map { ($0.key, $0.value) }) { _, last in last }))
    }
    return entries
  }

  /// The line of a duplicate key: a later one with the same indentation. Yams reports only the first.
  private static func second(_ key: String, after first: Mark, in text: String) -> Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated().dropFirst(first.line) {
      let indent = line.prefix { $0 == " " }.count
      let rest = line.dropFirst(indent)
      if indent + 1 == first.column, rest.hasPrefix(key),
        rest.dropFirst(key.count).drop(while: { $0 == " " }).first == ":"
      {
        return index + 1
      }
    }
    return nil
  }

  private func broken(_ error: any Error, _ text: String) -> InputProblem {
    guard let yaml = error as? YamlError else { return InputProblem(name, "\(error)") }
    switch yaml {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      return InputProblem(place(mark), "invalid YAML: \(problem).")
    case .duplicatedKeysInMapping(let keys, let context):
      let words = keys.map { "\($0)" }.sorted()
      let second = words.first.flatMap { Self.second($0, after: context.mark, in: text) }
      return InputProblem(
        second.map { place($0, context.mark.column) } ?? place(context.mark),
        "duplicate key \(words.joined(separator: ", "))"
          + (second == nil ? "." : "; the first one is on line \(context.mark.line)."))
    case .reader(let problem, let offset, _, _):
      let lines = text.utf8.prefix(offset ?? 0).count { $0 == UInt8(ascii: "\n") }
      return InputProblem("\(name):\(lines + 1)", "invalid YAML: \(problem).")
    default: return InputProblem(name, "invalid YAML: \(yaml)")
    }
  }
}
