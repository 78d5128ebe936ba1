import Timeline

/// What became of a push once the device had it.
///
/// The provider was answered 200 in every one of these cases; only the push log tells them apart.
package enum Reaction: Hashable, Sendable {
  /// An ordinary notification.
  indirect case notified(Presentation)
  /// A push that wakes the app and shows nothing.
  case background(BackgroundWakes.Outcome)
  case call(VoIPCallReports.Outcome)
  /// A push of another service.
  case service(ServiceReaction)
  case started(UInt32, Remarks)
  case updated(UInt32, Remarks, before: Shown)
  case ended(UInt32, dismissal: Instant, Remarks, before: Shown)
  /// Kept back on the phone. Not the last word: another reaction follows.
  case held(Hold, until: Instant)
  case dropped(DropCause, detail: DropDetail?)

  package static func dropped(_ cause: DropCause) -> Reaction { .dropped(cause, detail: nil) }

  static func dropped(_ cause: DropCause, _ detail: String) -> Reaction { .dropped(cause, detail: .words(detail)) }

  /// Whether this is the last word on the push.
  package var isFinal: Bool { if case .held = self { false } else { true } }

  /// What a card showed until then.
  package struct Shown: Hashable, Sendable {
    package let content: ActivityContent
    package let isStale: Bool

    package init(content: ActivityContent, isStale: Bool) {
      self.content = content
      self.isStale = isStale
    }
  }

  /// Why the phone keeps something back.
  package enum Hold: String, Hashable, Sendable {
    /// Priority 5 waits until it suits the phone.
    case lowPriority = "low-priority"
    case budget = "update-budget"
    case backgroundThrottle = "background-throttle"
    case powerSaving = "power-saving"
    /// The Notification Service Extension works on it.
    case serviceExtension = "service-extension"

    /// Whether Apple's console would call it stored for power, rather than delivered.
    package var isByAPNs: Bool {
      switch self {
      case .lowPriority, .backgroundThrottle, .powerSaving: true
      case .budget, .serviceExtension: false
      }
    }
  }
}
