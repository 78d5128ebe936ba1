import WireFormats

/// `apns-push-type`: what kind of push this is.
///
/// Documented: Apple, "Sending notification requests to APNs", the complete list as of iOS 26. Observed: where that
/// page is garbled, the exact suffixes are those of working senders.
package enum PushType: String, CaseIterable, Hashable, Sendable {
  case alert
  case background
  case location
  case voip
  case complication
  case fileprovider
  case mdm
  case liveactivity
  case pushtotalk
  case controls
  case widgets

  /// The suffix of the topic after the bundle id.
  package var suffix: TopicSuffix {
    switch self {
    case .alert, .background, .mdm: .none
    case .location: .locationQuery
    case .voip: .voip
    case .complication: .complication
    case .fileprovider: .fileProvider
    case .liveactivity: .liveActivity
    case .pushtotalk: .pushToTalk
    case .controls: .controls
    case .widgets: .widgets
    }
  }

  /// True if the push type may be used with a topic whose suffix matches.
  ///
  /// Documented: the topic of device management is the UID of the MDM certificate's subject ("Sending notification
  /// requests to APNs"). Assumed: the type cannot be used with other topics.
  func isFor(_ topic: Topic?) -> Bool {
    self != .mdm || topic?.bundleID.hasPrefix(ProviderCertificate.managementPrefix) ?? true
  }

  /// Maximum size of the body, in bytes.
  ///
  /// Documented: 4,096, and 5,120 for VoIP ("Generating a remote notification"). Assumed: 4,096 for push to talk,
  /// for which Apple names no number.
  package var payloadLimit: Int { self == .voip ? 5120 : 4096 }

  /// Documented: a background push of priority 10 "is an error"; a Live Activity takes 5 or 10. Observed: that
  /// background push is accepted, so it is rejected only by a strict rulebook.
  package func allows(_ priority: Priority, strict: Bool) -> Bool {
    switch self {
    case .background: priority == .powerAware || !strict
    case .liveactivity: priority != .passive
    default: true
    }
  }

  /// Parses a header value.
  static func named(_ bytes: Span<UInt8>, _ range: Range<Int>) -> PushType? {
    // Common types first, by length; an unknown value is rare and may take longer.
    switch range.count {
    case 5 where bytes.holds(range, "alert"): .alert
    case 12 where bytes.holds(range, "liveactivity"): .liveactivity
    case 10 where bytes.holds(range, "background"): .background
    default: PushType(rawValue: bytes.text(range))
    }
  }
}
