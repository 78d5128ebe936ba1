import WireFormats

/// What a scenario was made from.
package struct ScenarioSource: Sendable {
  package let name: String
  package let text: String
  /// Taken in place of the file's own.
  package let seed: UInt64?
  package let files: SourceFiles

  init(name: String, text: String, seed: UInt64?, files: SourceFiles) {
    self.name = name
    self.text = text
    self.seed = seed
    self.files = files
  }

  func read() throws(ConfigurationProblem) -> ScenarioFile {
    try ScenarioFile.parse(text, named: name, seed: seed, files: files)
  }

  /// As a tape's header has it; a seed is a text, for it may be beyond what a number of JSON holds.
  var json: JSONValue {
    ["name": .string(name), "text": .string(text), "seed": JSONValue(seed.map { String($0) })]
  }

  init?(_ json: JSONValue, files: SourceFiles) {
    guard let name = json["name"]?.string, let text = json["text"]?.string else { return nil }
    self.init(name: name, text: text, seed: json["seed"]?.string.flatMap { UInt64($0) }, files: files)
  }
}
