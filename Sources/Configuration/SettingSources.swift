import Grammar
import WireFormats

/// All texts from which settings are made: the same texts give the same settings on any machine.
package struct SettingSources: Sendable {
  /// A file with its text, or a variable with its value.
  package struct Named: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The variable with several settings.
  static let pairs = "PUSHPIT_SET"

  package var config: Named?
  package var environment: [Named] = []
  package var flags: [Settings.Flag] = []
  package var apps: [String] = []
  package var profiles: [String] = []
  package var keys: [String] = []
  package var files = SourceFiles()

  package init(flags: [Settings.Flag], apps: [String], profiles: [String], keys: [String]) {
    self.flags = flags
    self.apps = apps
    self.profiles = profiles
    self.keys = keys
  }
}

extension Settings {
  /// Later ones override earlier ones: the defaults, the file, the environment, the flags; presets come before all
  /// single values.
  package init(_ sources: SettingSources) throws(InputProblem) {
    self.init()
    var given: [SettingAssignment] = []
    if let config = sources.config {
      given = try SettingsFile.read(config.value, named: config.name, into: &self, files: sources.files)
    }
    for variable in sources.environment where variable.name != SettingSources.pairs {
      guard let setting = Setting.table.first(where: { $0.environment == variable.name }) else { continue }
      given.append(SettingAssignment(setting: setting, text: variable.value, place: variable.name))
    }
    for variable in sources.environment where variable.name == SettingSources.pairs {
      for pair in variable.value.split(separator: ";") {
        given.append(try SettingAssignment(pair: String(pair), place: SettingSources.pairs))
      }
    }
    for flag in sources.flags {
      guard let setting = Setting.named(flag.key) else { continue }
      let place = flag.place ?? setting.flag.map { "--\($0)" } ?? setting.key
      given.append(SettingAssignment(setting: setting, text: flag.value, place: place))
    }
    try apply(given)
    try setApps(sources.apps)
    try setProfiles(sources.profiles, beside: !sources.apps.isEmpty, files: sources.files)
    try addKeys(sources.keys)
    origin = sources
  }
}

extension SettingSources {
  /// The form in a tape's header; the files are stored separately there.
  package var json: JSONValue {
    [
      "config": config.map(\.json) ?? .null, "environment": .array(environment.map(\.json)),
      "flags": .array(
        flags.map { ["key": .string($0.key), "value": .string($0.value), "place": JSONValue($0.place)] }),
      "apps": .array(apps.map { .string($0) }), "profiles": .array(profiles.map { .string($0) }),
    ]
  }

  /// Nil if the JSON does not have that form.
  package init?(_ json: JSONValue, files: SourceFiles) {
    func texts(_ key: String) -> [String] { json[key]?.elements?.compactMap(\.string) ?? [] }
    guard json.members != nil, let flags = json["flags"]?.elements, let environment = json["environment"]?.elements
    else { return nil }
    // The key files are not included: the header has their public halves.
    self.init(
      flags: flags.compactMap { flag in
        guard let key = flag["key"]?.string, let value = flag["value"]?.string else { return nil }
        return Settings.Flag(key: key, value: value, place: flag["place"]?.string)
      }, apps: texts("apps"), profiles: texts("profiles"), keys: [])
    config = json["config"].flatMap { Named($0) }
    self.environment = environment.compactMap { Named($0) }
    self.files = files
  }
}

extension SettingSources.Named {
  var json: JSONValue { ["name": .string(name), "value": .string(value)] }

  init?(_ json: JSONValue) {
    guard let name = json["name"]?.string, let value = json["value"]?.string else { return nil }
    self.init(name: name, value: value)
  }
}

/// A setting with a value, before anything is applied.
package struct SettingAssignment: Sendable {
  package let setting: Setting
  package let text: String
  /// The file and line, the flag, or the environment variable.
  package let place: String
}

extension SettingAssignment {
  /// Reads `KEY=VALUE`.
  init(pair: String, place: String) throws(InputProblem) {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let key = parts[0].filter { $0 != " " }
    guard parts.count == 2 else {
      throw InputProblem(place, "a setting must be KEY=VALUE such as fleet.mix.offline=5%, not \"\(pair)\".")
    }
    if let instead = ["fleet.apps": "--app", "keys": "--key"][key] {
      throw InputProblem(place, "\(key) is a list: use the settings file, or \(instead).")
    }
    guard let setting = Setting.named(key) else { throw Setting.unknown(key, at: place) }
    self.init(setting: setting, text: String(parts[1]), place: place)
  }
}

extension Settings {
  /// Applies the values, later ones over earlier ones; presets first, wherever they are.
  package mutating func apply(_ given: [SettingAssignment]) throws(InputProblem) {
    for rank in Setting.Rank.allCases {
      for assignment in given where assignment.setting.rank == rank {
        try assignment.setting.set(assignment.text, in: &self, place: assignment.place)
      }
    }
    try settlePermissions(given)
  }
}
