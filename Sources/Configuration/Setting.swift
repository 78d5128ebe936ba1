import Grammar
import WireFormats

/// A setting of the server: it is set by its key in the YAML file or with `--set`, and some settings also by a flag or
/// an environment variable. All of these use the same `apply`.
package struct Setting: Sendable {
  /// Path in the YAML file.
  package let key: String
  /// Long name of the flag, without dashes; nil for settings that are rarely typed.
  package let flag: String?
  package let environment: String?
  package let help: String
  /// The format of its value in the help text; empty for a switch.
  package let value: String
  /// The evidence for the imitated behavior behind the default; nil if nothing is imitated.
  package let grounds: SettingEvidence?
  /// Settings that set several others are applied first.
  enum Rank: CaseIterable, Sendable {
    /// Sets presets, too.
    case wholePreset
    case preset
    case single
  }

  private(set) var rank = Rank.single
  /// True if a YAML list is accepted.
  let isList: Bool
  /// The type in the published schema of scenarios; nil for values with a separate syntax.
  package let type: ValueType?
  private let show: @Sendable (Settings) -> String
  private let apply: @Sendable (inout Settings, String) throws -> Void

  /// The flag and the environment variable of a setting that is often typed.
  struct Flag: ExpressibleByStringLiteral {
    /// Long name, without dashes.
    let name: String
    /// The environment variable that sets it, too.
    let environment: String?

    init(_ name: String, environment: String) {
      self.name = name
      self.environment = environment
    }

    init(stringLiteral name: String) {
      self.name = name
      environment = nil
    }
  }

  init<Value>(
    _ key: String, at path: any WritableKeyPath<Settings, Value> & Sendable, as form: Form<Value>, flag: Flag? = nil,
    _ help: String, grounds: SettingEvidence? = nil
  ) {
    self.key = key
    self.flag = flag?.name
    environment = flag?.environment
    self.help = help
    self.grounds = grounds
    isList = form.isList
    value = form.shape
    type = form.type
    show = { form.write($0[keyPath: path]) }
    apply = { $0[keyPath: path] = try form.read($1) }
  }

  /// Returns this setting with a rank: it is applied with the other settings of that rank.
  func ranked(_ rank: Rank) -> Setting {
    var setting = self
    setting.rank = rank
    return setting
  }

  package static func named(_ key: String) -> Setting? { table.first { $0.key == key } }

  /// The current value, as it may be written; empty for a missing value.
  package func shown(in settings: Settings) -> String { show(settings) }

  /// Applies a value, or throws a problem that names its place and the valid values.
  package func set(_ text: String, in settings: inout Settings, place: String) throws(InputProblem) {
    do {
      try apply(&settings, text)
    } catch let problem as ValueProblem {
      throw problem.of(key, text, at: place)
    } catch {
      throw InputProblem("\(key): \(error)", field: key, at: place)
    }
  }

  /// The problem of an unknown key, with a suggestion.
  static func unknown(_ key: String, at place: String) -> InputProblem {
    let keys = table.map(\.key) + ["fleet.apps", "keys"]
    let ending = keys.filter { $0.hasSuffix(".\(key)") }
    let near = ending.count == 1 ? ending.first : SpellingSuggestion.nearest(to: key, among: keys)
    return InputProblem(
      "there is no setting \(key); \(near.map { "did you mean \($0)?" } ?? "`pushpit settings` lists all.")",
      field: key, at: place, code: .unknownKey)
  }
}
