import ArgumentParser
import Configuration

/// A flag for each setting of the table that has one.
///
/// ArgumentParser finds the options of a type in its mirror, and has the type decode them by the labels that they have
/// there. Here both follow the table, so that no setting is declared twice.
struct SettingFlags: ParsableArguments, CustomReflectable {
  /// Flags that people need most, and what `serve --help` says of them in one line. `--help-all` has the others, too.
  static let common: KeyValuePairs = [
    "fleet.devices": "Virtual iPhones.",
    "fleet.seed": "Seed of all that is drawn.",
    "forTests": "Every push is visible at once.",
    "clock": "The world's clock.",
    "reports.backend": "Backend that apps with a profile call.",
    "listen.host": "Where to listen.",
    "listen.ports": "Any free ports.",
    "listen.sandbox": "Port of the sandbox.",
    "listen.admin": "Admin API.",
    "state": "Certificates and keys.",
  ]

  /// What was given.
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

  /// Those of the table that have a flag, with what is said of each: the common ones first, the others in the table's
  /// order.
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
