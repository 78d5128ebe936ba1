import Grammar
import WireFormats

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Settings {
  /// A setting given on the command line.
  package struct Flag: Sendable {
    package let key: String
    package let value: String
    /// The notation, for messages; nil for the setting's own flag.
    package let place: String?

    package init(key: String, value: String, place: String? = nil) {
      self.key = key
      self.value = value
      self.place = place
    }
  }

  /// Settings from all sources; later ones override earlier ones: the defaults, the file, the environment, the flags.
  /// Presets are applied before all single values.
  ///
  /// - Parameter file: the configuration file; nil for the one in `PUSHPIT_CONFIG`, if it is set.
  package static func gathered(
    file: String?, flags: [Flag], apps: [String] = [], profiles: [String] = [], keys: [String] = []
  ) throws(InputProblem) -> Settings {
    var sources = SettingSources(flags: flags, apps: apps, profiles: profiles, keys: keys)
    if let file = file ?? environment("PUSHPIT_CONFIG") {
      do {
        sources.config = .init(name: file, value: try TextFile.read(file, limit: 1 << 20))
      } catch {
        throw InputProblem(file, "the configuration cannot be read: \(error).")
      }
    }
    for name in Setting.table.compactMap(\.environment) + [SettingSources.pairs] {
      if let value = environment(name) { sources.environment.append(.init(name: name, value: value)) }
    }
    return try Settings(sources)
  }

  /// A warning for each environment variable that looks like a misspelled variable of Pushpit. Dissimilar variables
  /// belong to other programs.
  package static var misspeltVariables: [String] {
    let known =
      Setting.table.compactMap(\.environment) + ["PUSHPIT_CONFIG", SettingSources.pairs] + forBackends + forClients
    var sentences: [String] = []
    var place = environ
    while let entry = place.pointee {
      place += 1
      let name = String(cString: entry).prefix { $0 != "=" }
      guard name.hasPrefix("PUSHPIT_"), !known.contains(String(name)) else { continue }
      guard let near = SpellingSuggestion.nearest(to: String(name), among: known) else { continue }
      sentences.append("\(name) is not a variable of Pushpit and is ignored; did you mean \(near)?")
    }
    return sentences.sorted()
  }

  /// Variables that `pushpit run` sets for backends.
  private static let forBackends = ["READY", "SCENARIO", "SEED", "ADMIN", "NOW"].map { "PUSHPIT_" + $0 }

  /// Variables that the client libraries read.
  private static let forClients = ["PUSHPIT_BINARY"]

  /// The word that a misspelled one probably meant.
  package static func nearest(to word: String, among words: [String]) -> String? {
    SpellingSuggestion.nearest(to: word, among: words)
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Settings.Flag {
  /// Reads `KEY=VALUE`.
  package init(pair: String, place: String) throws(InputProblem) {
    let assignment = try SettingAssignment(pair: pair, place: place)
    self.init(key: assignment.setting.key, value: assignment.text, place: place)
  }
}
