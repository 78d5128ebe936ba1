import Testing

/// The settings that a test changes by the property behind the key, so that SettingCoverageTests knows.
///
/// For tests that cannot set by key because their target does not know the settings, and whose assertions depend on
/// the value.
package struct ChangedSettings: TestTrait, SuiteTrait {
  package let keys: [String]
}

extension Trait where Self == ChangedSettings {
  package static func setting(_ keys: String...) -> Self { ChangedSettings(keys: keys) }
}
