import Signing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension Settings {
  /// A setting given on the command line.
  public struct Flag: Sendable {
    public let key: String
    public let value: String
    /// How it was written, for messages; nil for the setting's own flag.
    public let place: String?

    public init(key: String, value: String, place: String? = nil) {
      self.key = key
      self.value = value
      self.place = place
    }
  }

  /// Settings from all that may name them; what comes later wins: the defaults, the file, the environment, the flags.
  /// Presets are applied before all single values.
  ///
  /// - Parameter file: the configuration file; nil for the one `PUSHPIT_CONFIG` names, if it does.
  public static func gathered(
    file: String?, flags: [Flag], apps: [String] = [], profiles: [String] = [], keys: [String] = []
  ) throws(ConfigurationProblem) -> Settings {
    var settings = Settings()
    var given: [Assignment] = []
    if let file = file ?? environment("PUSHPIT_CONFIG") {
      let text: String
      do {
        text = try KeyFile.read(file, limit: 1 << 20)
      } catch {
        throw ConfigurationProblem(file, "the configuration cannot be read: it must be a YAML file this user may read.")
      }
      given = try SettingsFile.read(text, named: file, into: &settings)
    }
    for setting in Setting.table {
      guard let name = setting.environment, let value = environment(name) else { continue }
      given.append(Assignment(setting: setting, text: value, place: name))
    }
    for pair in environment("PUSHPIT_SET")?.split(separator: ";") ?? [] {
      given.append(try Assignment(pair: String(pair), place: "PUSHPIT_SET"))
    }
    for flag in flags {
      guard let setting = Setting.named(flag.key) else { continue }
      let place = flag.place ?? setting.flag.map { "--\($0)" } ?? setting.key
      given.append(Assignment(setting: setting, text: flag.value, place: place))
    }
    try settings.apply(given)
    try settings.setApps(apps)
    try settings.setProfiles(profiles, beside: !apps.isEmpty)
    try settings.addKeys(keys)
    return settings
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Settings.Flag {
  /// Reads `KEY=VALUE`.
  public init(pair: String, place: String) throws(ConfigurationProblem) {
    let assignment = try Assignment(pair: pair, place: place)
    self.init(key: assignment.setting.key, value: assignment.text, place: place)
  }
}
