/// The version of this program (https://semver.org). `make release` changes it; CHANGELOG.md lists the changes.
public enum Version {
  public static let text = "0.1.0"
}
