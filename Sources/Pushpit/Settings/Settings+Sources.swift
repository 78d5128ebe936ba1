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

    public init(key: String, value: String) {
      self.key = key
      self.value = value
    }
  }

  /// Settings from all that may name them; what comes later wins: the defaults, the file, the environment, the flags.
  ///
  /// - Parameter file: the configuration file; nil for the one `PUSHPIT_CONFIG` names, if it does.
  public static func gathered(
    file: String?, flags: [Flag], apps: [String] = [], keys: [String] = []
  ) throws(ConfigurationProblem) -> Settings {
    var settings = Settings()
    if let file = file ?? environment("PUSHPIT_CONFIG") {
      let text: String
      do {
        text = try KeyFile.read(file, limit: 1 << 20)
      } catch {
        throw ConfigurationProblem(file, "the configuration cannot be read: it must be a YAML file this user may read.")
      }
      try SettingsFile.apply(text, named: file, to: &settings)
    }
    for setting in Setting.table {
      guard let name = setting.environment, let value = environment(name) else { continue }
      try setting.set(value, in: &settings, place: name)
    }
    for flag in flags {
      guard let setting = Setting.named(flag.key) else { continue }
      try setting.set(flag.value, in: &settings, place: "--\(setting.flag)")
    }
    try settings.setApps(apps)
    try settings.addKeys(keys)
    return settings
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
