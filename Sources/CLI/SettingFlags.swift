import ArgumentParser
import Configuration

/// A flag for each setting of the table that has one.
enum SettingFlags: FlagSource {
  /// The most common flags, each with its one line of `serve --help`. `--help-all` shows all flags.
  static let common: KeyValuePairs = [
    "fleet.devices": "Virtual iPhones.",
    "fleet.seed": "Seed of all random values.",
    "forTests": "Phones show every push at once.",
    "clock": "The world's clock.",
    "reports.backend": "URL of the backend of apps with a profile.",
    "listen.host": "Listen address.",
    "listen.ports": "Use any free ports.",
    "listen.sandbox": "Sandbox port.",
    "listen.admin": "Admin API port.",
    "state": "Folder for certificates and keys.",
  ]

  /// First the common flags, then the others in the order of the table.
  static let flags: [DerivedFlag] = {
    let keys = common.map(\.key)
    let others = Setting.table.filter { $0.flag != nil && !keys.contains($0.key) }
    let usual = Settings()
    return (keys.compactMap(Setting.named) + others).map { setting in
      let brief = common.first { $0.key == setting.key }?.value
      let isSwitch = setting.value.isEmpty
      let variable = setting.environment.map { " [\($0)]" } ?? ""
      let standard = isSwitch ? "" : setting.shown(in: usual)
      let help = ArgumentHelp(
        "\(brief ?? setting.help)\(variable)\(standard.isEmpty ? "" : " (default: \(standard))")",
        valueName: isSwitch ? nil : setting.value, visibility: brief == nil ? .hidden : .default)
      return DerivedFlag(
        setting.flag ?? setting.key, for: setting.key, help: help, constant: isSwitch ? "true" : nil, takesDash: true)
    }
  }()
}
