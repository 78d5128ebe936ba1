import Timeline
import WireFormats

/// The arguments of `Activity.request`.
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
  /// The start of a scheduled activity (iOS 26); nil if it starts at once.
  package var begins: Instant?
  /// Documented: a scheduled activity needs an alert.
  package var alerts = false
  package var scene = Scene.foreground
  /// No such channel exists; known once the order is carried out.
  package var isChannelUnknown = false
  /// An error to throw here, for errors whose trigger is not simulated.
  package var injected: AuthorizationError?

  package init(type: Int) { self.type = type }
}

/// The arguments of `Activity.update`.
package struct ActivityUpdateRequest: Hashable, Sendable {
  package var content: JSONValue
  /// Seconds since 1970; nil for now. Pushes and app updates share one newest timestamp. Documented since iOS 17.2.
  package var timestamp: Double?
  package var staleDate: Instant?
  package var relevance: Double?
  package var alerts = false

  package init(content: JSONValue) { self.content = content }
}

/// The arguments of `Activity.end`.
package struct ActivityEndRequest: Hashable, Sendable {
  package let cause: ActivityEnd
  /// The last content; nil keeps the current one.
  package var content: JSONValue?
  /// The time at which the card leaves the Lock Screen; nil for the default.
  package var dismissing: Instant?

  package init(_ cause: ActivityEnd, content: JSONValue? = nil, dismissing: Instant? = nil) {
    self.cause = cause
    self.content = content
    self.dismissing = dismissing
  }
}

/// The source of an activity's updates from outside the app, chosen by the app at the activity's start.
///
/// Documented: `PushType` of ActivityKit; channels from iOS 18.
package enum ActivityUpdates: Hashable, Sendable {
  /// By its own update token.
  case token
  /// By the broadcasts of a channel; no token is issued.
  case channel(String)
  /// Only by the app.
  case none
}
