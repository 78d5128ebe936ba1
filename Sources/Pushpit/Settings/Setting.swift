/// One thing that can be set: by its key in the YAML file, by a flag, and some by an environment variable. All three
/// spellings end in the same `apply`.
public struct Setting: Sendable {
  /// Path in the YAML file.
  public let key: String
  /// Long name of the flag, without the dashes.
  public let flag: String
  public let environment: String?
  public let help: String
  /// What its value looks like in the help text; empty for a switch.
  public let value: String
  let apply: @Sendable (inout Settings, String) throws -> Void

  init(
    _ key: String, flag: String, environment: String? = nil, value: String, _ help: String,
    apply: @escaping @Sendable (inout Settings, String) throws -> Void
  ) {
    self.key = key
    self.flag = flag
    self.environment = environment
    self.value = value
    self.help = help
    self.apply = apply
  }

  public static func named(_ key: String) -> Setting? { table.first { $0.key == key } }

  /// Applies a value, or says what would be right, naming the place where it was written.
  public func set(_ text: String, in settings: inout Settings, place: String) throws(ConfigurationProblem) {
    do {
      try apply(&settings, text)
    } catch let problem as ValueProblem {
      throw ConfigurationProblem(place, "\(key) must be \(problem.wanted), not \"\(text)\".")
    } catch {
      throw ConfigurationProblem(place, "\(key): \(error)")
    }
  }
}
