import ArgumentParser
import Configuration

/// A flag for each setting of the table that has one.
///
/// ArgumentParser finds the options of a type in its mirror, and the type decodes them by their labels in the mirror.
/// Here both follow the table, so that no setting is declared twice.
struct SettingFlags: ParsableArguments, CustomReflectable {
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

  /// The given values.
  private(set) var given: [Settings.Flag] = []

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Label.self)
    for (setting, _) in Self.settings {
      let label = Label(stringValue: setting.key)
      if setting.isSwitch {
        let isGiven = try container.decode(Flag<Bool>.self, forKey: label).wrappedValue
        if isGiven { given.append(Settings.Flag(key: setting.key, value: "true")) }
      } else if let value = try container.decode(Option<String?>.self, forKey: label).wrappedValue {
        given.append(Settings.Flag(key: setting.key, value: value))
      }
    }
  }

  var customMirror: Mirror {
    let options = Self.settings.map { setting, text -> (label: String?, value: Any) in
      let name = NameSpecification.customLong(setting.flag ?? setting.key)
      let isCommon = Self.common.contains { $0.key == setting.key }
      let help = ArgumentHelp(
        text, valueName: setting.isSwitch ? nil : setting.value, visibility: isCommon ? .default : .hidden)
      return setting.isSwitch
        ? (setting.key, Flag<Bool>(wrappedValue: false, name: name, help: help))
        : (setting.key, Option<String?>(name: name, parsing: .unconditional, help: help))
    }
    return Mirror(self, children: options)
  }

  /// The settings with a flag and their help texts: first the common ones, then the others in the order of the table.
  private static let settings: [(setting: Setting, help: String)] = {
    let keys = common.map(\.key)
    let others = Setting.table.filter { $0.flag != nil && !keys.contains($0.key) }
    let usual = Settings()
    return (keys.compactMap(Setting.named) + others).map { setting in
      let brief = common.first { $0.key == setting.key }?.value
      let variable = setting.environment.map { " [\($0)]" } ?? ""
      let standard = setting.isSwitch ? "" : setting.shown(in: usual)
      return (setting, (brief ?? setting.help) + variable + (standard.isEmpty ? "" : " (default: \(standard))"))
    }
  }()

  /// The key of a setting.
  private struct Label: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

extension Setting {
  fileprivate var isSwitch: Bool { value.isEmpty }
}
