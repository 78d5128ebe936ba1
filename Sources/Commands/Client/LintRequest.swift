import APNs
import Configuration
import Devices
import Grammar
import Pushpit
import Timeline

/// `pushpit lint`: checks a payload for an app of the settings.
package struct LintRequest: Sendable {
  package struct Finding: Sendable {
    package enum Weight: Sendable {
      /// iOS would drop the push.
      case lost
      /// It would show something other than probably intended.
      case changed
      /// Cannot be decided: the settings have no schema of the type.
      case unchecked
    }

    package let weight: Weight
    package let path: String
    package let sentence: String
  }

  package let findings: [Finding]
  /// The push type that the payload was taken for; nil if one was given, or if it is for a Live Activity or unreadable.
  package let guess: String?

  package var loses: Bool { findings.contains { $0.weight == .lost } }

  /// The payload that an argument is: JSON itself, or the content of a file.
  ///
  /// - Parameter file: reads a file; nil if it cannot be read.
  package static func payload(_ argument: String, reading file: (String) -> [UInt8]?) -> [UInt8]? {
    let bytes = Array(argument.utf8)
    if argument.first(where: { !$0.isWhitespace }) == "{" { return bytes }
    return file(argument) ?? (PayloadLint.guess(bytes) == nil ? nil : bytes)
  }

  /// - Parameters:
  ///   - app: bundle id; nil for the first app with a type.
  ///   - type: name of the attributes type of the activity that is updated; nil for the app's first.
  ///   - kind: the push type; nil to guess it.
  /// - Throws: `InputProblem` if the app, type, version or push type does not exist.
  package init(
    _ payload: [UInt8], as kind: String? = nil, _ settings: Settings, app: String?, type: String?, os: String
  ) throws {
    let given = try kind.map(PushTypeWord.read)
    let pushType = given ?? PayloadLint.guess(payload)
    guess = given == nil && pushType != .liveactivity ? pushType?.rawValue : nil
    guard let version = OSVersion(os) else {
      throw InputProblem("--os", "--os must be a version of iOS such as 18 or 26.1, not \"\(os)\".")
    }
    let lint: PayloadLint
    if pushType == .liveactivity {
      let (profile, number) = try Self.app(settings, app: app, type: type)
      lint = PayloadLint(payload, profile, type: number, os: version, settings.policy, at: SystemClock.now)
    } else {
      lint = PayloadLint(payload, as: pushType, os: version, settings.policy)
    }
    findings = lint.findings.map {
      Finding(weight: Finding.Weight($0.weight), path: $0.path, sentence: $0.sentence)
    }
  }

  /// The app, and the index of the type of a Live Activity.
  private static func app(_ settings: Settings, app: String?, type: String?) throws -> (AppProfile, Int) {
    let profile = settings.apps.map(\.profile).first { profile in
      app.map { $0 == profile.bundleID } ?? !profile.types.isEmpty
    }
    guard let profile else {
      let known = settings.apps.map(\.profile.bundleID).joined(separator: ", ")
      throw InputProblem("--app", "there is no app \(app ?? "with a type"); the settings have \(known).")
    }
    guard !profile.types.isEmpty else {
      throw InputProblem(
        "--app", "\(profile.bundleID) declares no attributes types, so it has no Live Activities.")
    }
    let number = type.map { name in profile.types.firstIndex { $0.name == name } } ?? 0
    guard let number else {
      let known = profile.attributesTypes.joined(separator: ", ")
      throw InputProblem("--type", "\(profile.bundleID) has no type \(type ?? ""); its types are \(known).")
    }
    return (profile, number)
  }
}

extension LintRequest.Finding.Weight {
  fileprivate init(_ weight: PayloadLint.Finding.Weight) {
    switch weight {
    case .lost: self = .lost
    case .changed: self = .changed
    case .unchecked: self = .unchecked
    }
  }
}
