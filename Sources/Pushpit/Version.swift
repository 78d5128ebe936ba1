/// This program's version (https://semver.org). `make release` changes it; CHANGELOG.md lists the changes.
public enum Version {
  public static let text = "0.1.0"
}
