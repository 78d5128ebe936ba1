import Configuration
import Grammar
import WireFormats

/// The inputs from which a scenario was made.
package struct ScenarioSource: Sendable {
  /// The backend and the clock with which a scenario was played.
  package struct Live: Hashable, Sendable {
    /// As on the command line, which overrides the file.
    let backend: String?
    let command: [String]
    /// The backend's final URL, for app reports.
    package var url: String?
    /// True if time passed faster than by the machine's clock: in steps for the backend, or by a factor.
    package let simulatesTime: Bool
  }

  let name: String
  let text: String
  let seed: UInt64
  /// Faults of the file that were left out, for information: the tape's calls do not contain them.
  let without: [String]
  package var live: Live?
  package let files: SourceFiles

  /// The settings of the scenario's world.
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
  /// The form in a tape's header. The seed is a string, because it may exceed the range of JSON numbers.
  package var json: JSONValue {
    [
      "name": .string(name), "text": .string(text), "seed": .string("\(seed)"),
      "without": .array(without.map { .string($0) }),
      "live": live.map { live in
        [
          "backend": JSONValue(live.backend), "command": .array(live.command.map { .string($0) }),
          "url": JSONValue(live.url), "simulatesTime": .bool(live.simulatesTime),
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
        url: value["url"]?.string, simulatesTime: value["simulatesTime"]?.truth ?? false)
    }
    self.init(
      name: name, text: text, seed: seed, without: json["without"]?.elements?.compactMap(\.string) ?? [], live: live,
      files: files)
  }
}
