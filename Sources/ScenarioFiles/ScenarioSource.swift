import Configuration
import Grammar
import WireFormats

/// What a scenario was made from.
package struct ScenarioSource: Sendable {
  /// How it was played beside a real backend.
  package struct Live: Hashable, Sendable {
    /// As the command line named them, in place of the file's.
    let backend: String?
    let command: [String]
    /// Where the backend was in the end, for apps that report.
    package var url: String?
  }

  let name: String
  let text: String
  let seed: UInt64
  /// Faults of the file that were left out. The calls on the tape are without them already; it is said for people.
  let without: [String]
  package var live: Live?
  package let files: SourceFiles

  /// What the scenario's world is made of.
  package func settings() throws(InputProblem) -> Settings {
    var options: LiveOptions?
    if let live {
      options = LiveOptions()
      options?.backend = live.backend
      options?.command = live.command
    }
    var settings = try ScenarioFile.parse(text, named: name, seed: seed, live: options, files: files).settings
    if let url = live?.url { settings.backend = url }
    return settings
  }
}

extension ScenarioSource {
  /// As a tape's header has it; a seed is a text, for it may be beyond what a number of JSON holds.
  package var json: JSONValue {
    [
      "name": .string(name), "text": .string(text), "seed": .string("\(seed)"),
      "without": .array(without.map { .string($0) }),
      "live": live.map { live in
        [
          "backend": JSONValue(live.backend), "command": .array(live.command.map { .string($0) }),
          "url": JSONValue(live.url),
        ]
      } ?? .null,
    ]
  }

  package init?(_ json: JSONValue, files: SourceFiles) {
    guard let name = json["name"]?.string, let text = json["text"]?.string,
      let seed = json["seed"]?.string.flatMap({ UInt64($0) })
    else { return nil }
    var live: Live?
    if let value = json["live"], value.members != nil {
      live = Live(
        backend: value["backend"]?.string, command: value["command"]?.elements?.compactMap(\.string) ?? [],
        url: value["url"]?.string)
    }
    self.init(
      name: name, text: text, seed: seed, without: json["without"]?.elements?.compactMap(\.string) ?? [], live: live,
      files: files)
  }
}
