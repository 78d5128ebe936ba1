import APNs
import Devices
import Grammar
import Timeline

/// A check of a payload for an app of the fleet: what iOS would silently drop or change.
package struct PayloadCheck: Sendable {
  /// The version of iOS if none is given.
  package static let usualOS = OSVersion(26, 1)

  package struct Order: Sendable {
    package let payload: [UInt8]
    /// Nil to guess it from the payload.
    package var pushType: PushType?
    /// Bundle id; nil for the first app with an attributes type.
    package var app: String?
    /// Name of the attributes type of the activity that is updated; nil for the app's first.
    package var attributesType: String?
    package var os = PayloadCheck.usualOS

    package init(_ payload: [UInt8]) { self.payload = payload }
  }

  /// The push type that it was checked as; nil for an unreadable payload without one.
  package let pushType: PushType?
  package let findings: [PayloadLint.Finding]

  /// True if iOS would drop the push.
  package var loses: Bool { findings.contains { $0.weight == .lost } }

  /// - Throws: a problem of `app` or `attributesType`, which do not exist.
  package init(_ order: Order, apps: [AppProfile], policy: DevicePolicy, at now: Instant) throws(InputProblem) {
    pushType = order.pushType ?? PayloadLint.guess(order.payload)
    if pushType == .liveactivity {
      let (profile, type) = try Self.profile(order, apps)
      findings =
        PayloadLint(order.payload, profile: profile, type: type, os: order.os, policy: policy, at: now).findings
    } else {
      findings = PayloadLint(order.payload, as: pushType, os: order.os, policy).findings
    }
  }

  /// The app of a Live Activity, and the index of its type.
  private static func profile(_ order: Order, _ apps: [AppProfile]) throws(InputProblem) -> (AppProfile, Int) {
    let profile = apps.first { app in order.app.map { $0 == app.bundleID } ?? !app.types.isEmpty }
    guard let profile else {
      throw InputProblem(
        "There is no app \(order.app.map { Wording.quoted($0) } ?? "with an attributes type"); the apps are"
          + " \(Wording.list(apps.map(\.bundleID))).", field: "app")
    }
    guard !profile.types.isEmpty else {
      throw InputProblem(
        "\(profile.bundleID) declares no attributes types, so it has no Live Activities.", field: "app")
    }
    let type = order.attributesType.map { name in profile.types.firstIndex { $0.name == name } } ?? 0
    guard let type else {
      throw InputProblem(
        "\(profile.bundleID) has no attributes type \(order.attributesType ?? ""); its types are"
          + " \(Wording.list(profile.attributesTypes)).", field: "attributesType")
    }
    return (profile, type)
  }
}
