/// A version of iOS, as far as behaviour depends on it.
package struct OSVersion: Hashable, Comparable, Sendable {
  package let major: Int
  package let minor: Int

  package init(_ major: Int, _ minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// Reads `18.2` or `18`.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), (1...2).contains(parts.count),
      let major = Int(parts[0]), (1...99).contains(major)
    else { return nil }
    guard parts.count == 2 else {
      self.init(major, 0)
      return
    }
    guard let minor = Int(parts[1]), (0...99).contains(minor) else { return nil }
    self.init(major, minor)
  }

  package var text: String { "\(major).\(minor)" }

  package static func < (left: OSVersion, right: OSVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// How an app comes by a push-to-start token on this version.
  package var pushToStart: PushToStartAvailability {
    if self < OSVersion(17, 2) { return .never }
    return self < OSVersion(18, 0) ? .freshInstallAfterReboot : .onLaunch
  }

  /// Whether an app that is on a later token can have had the one of that generation; the first comes with the app.
  package func issued(startToken generation: UInt32) -> Bool {
    switch pushToStart {
    case .never: false
    case .freshInstallAfterReboot: generation > 0
    case .onLaunch: true
    }
  }
}

/// When `pushToStartTokenUpdates` yields.
///
/// Documented: from iOS 17.2. Observed: on 17.2 to 17.6 only after deleting the app, rebooting and installing it
/// fresh, in that order; reliable at every launch from iOS 18 (seeds 000 and 003).
package enum PushToStartAvailability: Hashable, Sendable {
  case never
  case freshInstallAfterReboot
  case onLaunch
}
