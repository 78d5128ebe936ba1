import Grammar

/// A setting and the value somebody gave it, before anything is applied.
struct Assignment: Sendable {
  let setting: Setting
  let text: String
  /// The file and line, the flag, or the environment variable.
  let place: String
}

extension Assignment {
  /// Reads `KEY=VALUE`.
  init(pair: String, place: String) throws(InputProblem) {
    let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let key = parts[0].filter { $0 != " " }
    guard parts.count == 2 else {
      throw InputProblem(place, "a setting is KEY=VALUE such as fleet.mix.offline=5%, not \"\(pair)\".")
    }
    if let instead = ["fleet.apps": "--app", "keys": "--key"][key] {
      throw InputProblem(place, "\(key) is a list: give it in the settings file, or with \(instead).")
    }
    guard let setting = Setting.named(key) else { throw InputProblem(place, Setting.unknown(key)) }
    self.init(setting: setting, text: String(parts[1]), place: place)
  }
}

extension Settings {
  /// Applies what was given, the later over the earlier; presets before all others, wherever they stand.
  mutating func apply(_ given: [Assignment]) throws(InputProblem) {
    for rank in Setting.Rank.allCases {
      for assignment in given where assignment.setting.rank == rank {
        try assignment.setting.set(assignment.text, in: &self, place: assignment.place)
      }
    }
    try settlePermissions(given)
  }
}
