/// A request that never leaves its app.
package enum Unsent: Hashable, Sendable {
  /// A value that it names is not there.
  case incomplete(RequestTemplate, Reference)
  /// Too many wait; the oldest gives way.
  case crowdedOut(OutgoingCall)
}
