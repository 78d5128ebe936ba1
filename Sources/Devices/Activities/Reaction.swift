import Timeline

/// The effect of a push on a device.
///
/// The provider was answered 200 in all of these cases; only the push log distinguishes them.
package enum Reaction: Hashable, Sendable {
  /// An ordinary notification.
  indirect case notified(Presentation)
  /// A background push, which can wake the app but shows nothing.
  case background(BackgroundWakes.Outcome)
  case call(VoIPCallReports.Outcome)
  /// A push of another service.
  case service(ServiceReaction)
  case started(UInt32, Remarks)
  case updated(UInt32, Remarks, before: Shown)
  case ended(UInt32, dismissal: Instant, Remarks, before: Shown)
  /// Deferred on the phone. Another reaction follows.
  case held(Hold, until: Instant)
  case dropped(DropCause, detail: DropDetail?)

  package static func dropped(_ cause: DropCause) -> Reaction { .dropped(cause, detail: nil) }

  static func dropped(_ cause: DropCause, _ detail: String) -> Reaction { .dropped(cause, detail: .words(detail)) }

  /// True if no other reaction follows.
  package var isFinal: Bool { if case .held = self { false } else { true } }

  /// The content of a card before the push.
  package struct Shown: Hashable, Sendable {
    package let content: ActivityContent
    package let isStale: Bool

    package init(content: ActivityContent, isStale: Bool) {
      self.content = content
      self.isStale = isStale
    }
  }

  /// The reason why a push is deferred.
  package enum Hold: String, CaseIterable, Hashable, Sendable {
    case budget = "update-budget"
    /// Priority 5: delivered when it suits the phone.
    case lowPriority = "low-priority"
    case throttled = "background-throttled"
    case lowPower = "low-power-mode"
    case refreshOff = "background-refresh-off"
    /// The Notification Service Extension is working on it.
    case serviceExtension = "service-extension"

    /// True if Apple's push console would report it as stored for power reasons instead of delivered.
    package var isByAPNs: Bool {
      switch self {
      case .lowPriority, .throttled, .lowPower, .refreshOff: true
      case .budget, .serviceExtension: false
      }
    }

    /// The reason to defer a background push.
    init(_ cause: WakeCause) {
      switch cause {
      case .lowPower: self = .lowPower
      case .refreshOff: self = .refreshOff
      case .throttled, .forceQuit, .noBackgroundMode, .notWoken, .superseded, .expired, .notStored, .notRequested,
        .typeIsAlert:
        self = .throttled
      }
    }
  }
}
