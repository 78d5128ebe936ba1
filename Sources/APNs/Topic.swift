/// `apns-topic`: a bundle id and the suffix of the service.
package struct Topic: Hashable, Sendable {
  package let bundleID: String
  package let suffix: TopicSuffix

  package init(bundleID: String, suffix: TopicSuffix) {
    self.bundleID = bundleID
    self.suffix = suffix
  }

  package var text: String { bundleID + suffix.text }

  /// Parses a topic; nil if it is not valid.
  ///
  /// Assumed: Apple documents `BadTopic` without saying which values are bad. Here a topic has 1 to 255 letters,
  /// digits, dots, hyphens and underscores, the characters that a bundle id may have.
  package init?(_ text: String) {
    guard (1...255).contains(text.utf8.count), text.utf8.allSatisfy(Self.mayContain) else { return nil }
    // The longest matching suffix. No suffix ends in another one today, but the result must not depend on the order.
    var best = TopicSuffix.none
    for suffix in TopicSuffix.allCases where text.hasSuffix(suffix.text) && suffix.text.count > best.text.count {
      best = suffix
    }
    let bundle = String(text.dropLast(best.text.count))
    guard !bundle.isEmpty else { return nil }
    bundleID = bundle
    suffix = best
  }

  private static func mayContain(_ character: UInt8) -> Bool {
    switch character {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }
}

/// The suffix of a topic after the bundle id, which distinguishes an app's services.
///
/// Documented: Apple, "Sending notification requests to APNs", table of push types.
package enum TopicSuffix: UInt8, CaseIterable, Hashable, Sendable {
  case none
  case liveActivity
  case voip
  case pushToTalk
  case locationQuery
  case complication
  case fileProvider
  case controls
  case widgets

  // Written out because other modules call the synthesized version through a witness table.
  @inlinable package static func == (left: TopicSuffix, right: TopicSuffix) -> Bool {
    left.rawValue == right.rawValue
  }

  package var text: String {
    switch self {
    case .none: ""
    case .liveActivity: ".push-type.liveactivity"
    case .voip: ".voip"
    case .pushToTalk: ".voip-ptt"
    case .locationQuery: ".location-query"
    case .complication: ".complication"
    case .fileProvider: ".pushkit.fileprovider"
    case .controls: ".push-type.controls"
    case .widgets: ".push-type.widgets"
    }
  }
}
