import APNs
import Admin
import Configuration
import Devices
import Grammar
import Pushpit

/// `pushpit lint`: checks a payload for an app of the settings.
package struct LintRequest: Sendable {
  package struct Finding: Sendable {
    package enum Weight: Sendable {
      /// iOS would drop the push.
      case lost
      /// The phone would show something other than probably intended.
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
    var order = PayloadCheck.Order(payload)
    order.pushType = try kind.map(PushTypeWord.read)
    order.app = app
    order.attributesType = type
    guard let version = OSVersion(os) else {
      throw InputProblem("--os", "--os must be a version of iOS such as 18 or 26.1, not \"\(os)\".")
    }
    order.os = version
    let check: PayloadCheck
    do throws(InputProblem) {
      check = try PayloadCheck(order, apps: settings.apps.map(\.profile), policy: settings.policy, at: SystemClock.now)
    } catch {
      throw InputProblem(error.field == "app" ? "--app" : "--type", error.sentence)
    }
    guess = kind == nil && check.pushType != .liveactivity ? check.pushType?.rawValue : nil
    findings = check.findings.map {
      Finding(weight: Finding.Weight($0.weight), path: $0.path, sentence: $0.sentence)
    }
  }

  /// The version of iOS if none is given.
  package static let usualOS = PayloadCheck.usualOS.text
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
