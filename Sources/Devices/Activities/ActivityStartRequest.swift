import Timeline
import WireFormats

/// What an app asks of `Activity.request`.
package struct ActivityStartRequest: Hashable, Sendable {
  package enum Scene: String, CaseIterable, Hashable, Sendable {
    /// The person is in the app.
    case foreground
    case background
    /// A `LiveActivityIntent` runs in the background (iOS 17).
    case intent
  }

  package var type: Int
  package var attributes: JSONValue?
  package var content: JSONValue?
  package var updates = ActivityUpdates.token
  package var staleDate: Instant?
  package var relevance: Double = 0
  package var isTransient = false
  /// When it is to begin (iOS 26); nil for at once.
  package var begins: Instant?
  /// Documented: a scheduled activity needs an alert.
  package var alerts = false
  package var scene = Scene.foreground
  /// An error that the system throws in this case without a reason of its own.
  package var injected: AuthorizationError?

  package init(type: Int) { self.type = type }
}

/// What an app asks of `Activity.update`.
package struct ActivityUpdateRequest: Hashable, Sendable {
  package var content: JSONValue
  /// Seconds since 1970; nil for now. Shares its counter with the pushes. Documented since iOS 17.2.
  package var timestamp: Double?
  package var staleDate: Instant?
  package var relevance: Double?
  package var alerts = false

  package init(content: JSONValue) { self.content = content }
}

/// Why an activity ends, and what is left of it.
package struct ActivityEndRequest: Hashable, Sendable {
  package let cause: ActivityEnd
  /// The last content; nil leaves the one before.
  package var content: JSONValue?
  /// When its card goes; nil for the default.
  package var dismissing: Instant?

  package init(_ cause: ActivityEnd, content: JSONValue? = nil, dismissing: Instant? = nil) {
    self.cause = cause
    self.content = content
    self.dismissing = dismissing
  }
}

/// How an activity is updated from outside, as the app asked for at its start.
///
/// Documented: `PushType` of ActivityKit; channels from iOS 18.
package enum ActivityUpdates: Hashable, Sendable {
  /// An update token of its own.
  case token
  /// The broadcasts of a channel, and no token.
  case channel(String)
  /// By the app only.
  case none
}
