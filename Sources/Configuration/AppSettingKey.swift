import Devices

/// A key of an app in `fleet.apps`.
package struct AppSettingKey: Sendable {
  package let key: String
  package let value: String
  package let help: String
  package let grounds: SettingEvidence?
  /// The default; empty for none.
  package let standard: String
  /// Reads a single value into traits; nil for keys with other values.
  let apply: (@Sendable (inout AppTraits, String) throws -> Void)?

  /// A key for a single value of the app's traits.
  init<Value>(
    _ key: String, at path: any WritableKeyPath<AppTraits, Value> & Sendable, as form: Form<Value>, _ help: String,
    grounds: SettingEvidence? = nil
  ) {
    self.key = key
    self.help = help
    self.grounds = grounds
    value = form.shape
    standard = form.write(AppTraits()[keyPath: path])
    apply = { $0[keyPath: path] = try form.read($1) }
  }

  /// A key with its own reader.
  init(_ key: String, as value: String, standard: String, _ help: String, grounds: SettingEvidence? = nil) {
    self.key = key
    self.help = help
    self.grounds = grounds
    self.value = value
    self.standard = standard
    apply = nil
  }
}
