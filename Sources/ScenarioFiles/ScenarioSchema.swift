import Configuration
import Grammar
import Scenarios
import WireFormats

/// The JSON Schema of scenario files, for editors. Made from the types of their readers, so that the two always agree.
package enum ScenarioSchema {
  package static var text: String {
    var text = ""
    write(schema, to: &text, indent: "")
    return text
  }

  /// A scenario file.
  static let type = ValueType.members(
    [
      ("name", .text()), ("story", .text()), ("seed", .anyWhole), ("for", .duration), ("quiet", .duration),
      ("settings", settings), ("backend", BackendReader.type), ("steps", .steps),
      ("expect", .list(of: .expectation, least: 1)), ("faults", .list(of: .fault)), ("without", .list(of: .text())),
      ("hunt", HuntReader.type),
    ], needed: ["expect"])

  private static var schema: JSONValue {
    var definitions: [(name: String, type: ValueType)] = []
    type.addDefinitions(to: &definitions)
    let head: [JSONValue.Member] = [
      .init("$schema", "https://json-schema.org/draft/2020-12/schema"), .init("title", "Pushpit scenario"),
    ]
    let defined = JSONValue.object(definitions.map { .init($0.name, $0.type.schema(plain: true)) })
    return .object(head + (type.schema(plain: true).members ?? []) + [.init("$defs", defined)])
  }

  /// The keys of the settings file, nested in the same way.
  private static var settings: ValueType {
    let keys = Setting.table.map(\.key) + ["fleet.apps", "keys"]
    return level(keys.map { $0.split(separator: ".").map(String.init) })
  }

  private static func level(_ paths: [[String]], under prefix: String = "") -> ValueType {
    var names: [String] = []
    for path in paths { if let first = path.first, !names.contains(first) { names.append(first) } }
    return .members(
      names.map { name in
        let below = paths.filter { $0.first == name && $0.count > 1 }.map { Array($0.dropFirst()) }
        let key = prefix + name
        guard !paths.contains([name]), !below.isEmpty else { return (name, Setting.named(key)?.type ?? .any) }
        return (name, level(below, under: key + "."))
      })
  }

  /// Writes one member per line, for human readers.
  private static func write(_ value: JSONValue, to text: inout String, indent: String) {
    guard value.text.utf8.count > 100, let members = value.members, !members.isEmpty else {
      value.write(to: &text)
      return
    }
    text += "{"
    for (index, member) in members.enumerated() {
      text += (index == 0 ? "\n" : ",\n") + indent + "  "
      JSONValue.string(member.key).write(to: &text)
      text += ": "
      write(member.value, to: &text, indent: indent + "  ")
    }
    text += "\n" + indent + "}"
  }
}
