import Grammar
import WireFormats

/// One thing that can be set: by its key in the YAML file or with `--set`, and some by a flag or an environment
/// variable of their own. All spellings end in the same `apply`.
public struct Setting: Sendable {
  /// Path in the YAML file.
  public let key: String
  /// Long name of the flag, without the dashes; nil for what is rarely typed.
  public let flag: String?
  public let environment: String?
  public let help: String
  /// What its value looks like in the help text; empty for a switch.
  public let value: String
  /// How we know what the default imitates; nil where nothing is imitated.
  public let grounds: SettingEvidence?
  /// What sets several others at once is applied before these.
  enum Rank: CaseIterable, Sendable {
    /// It sets presets, too.
    case wholePreset
    case preset
    case single
  }

  let rank: Rank
  /// Whether a YAML list may stand for its value.
  let isList: Bool
  private let show: @Sendable (Settings) -> String
  private let apply: @Sendable (inout Settings, String) throws -> Void

  init<Value>(
    _ key: String, _ path: any WritableKeyPath<Settings, Value> & Sendable, _ form: Form<Value>, flag: String? = nil,
    environment: String? = nil, _ help: String, _ grounds: SettingEvidence? = nil, rank: Rank = .single
  ) {
    self.key = key
    self.flag = flag
    self.environment = environment
    self.help = help
    self.grounds = grounds
    self.rank = rank
    isList = form.isList
    value = form.shape
    show = { form.write($0[keyPath: path]) }
    apply = { $0[keyPath: path] = try form.read($1) }
  }

  public static func named(_ key: String) -> Setting? { table.first { $0.key == key } }

  /// Its value in settings, as it may be written; empty when it has none.
  public func shown(in settings: Settings) -> String { show(settings) }

  /// Applies a value, or says what would be right, naming the place where it was written.
  public func set(_ text: String, in settings: inout Settings, place: String) throws(InputProblem) {
    do {
      try apply(&settings, text)
    } catch let problem as ValueProblem {
      throw problem.of(key, text, at: place)
    } catch {
      throw InputProblem("\(key): \(error)", field: key, at: place)
    }
  }

  /// What to say of a key that is none: the one that was probably meant.
  static func unknown(_ key: String, at place: String) -> InputProblem {
    let keys = table.map(\.key) + ["fleet.apps", "keys"]
    let ending = keys.filter { $0.hasSuffix(".\(key)") }
    let near = ending.count == 1 ? ending.first : SpellingSuggestion.nearest(to: key, among: keys)
    return InputProblem(
      "there is no setting \(key); \(near.map { "did you mean \($0)?" } ?? "`pushpit settings` lists all.")",
      field: key, at: place, code: .unknownKey)
  }
}
