/// This program's version, by https://semver.org. `make release` changes it; CHANGELOG.md says what came with it.
public enum Version {
  public static let text = "0.1.0"
}
