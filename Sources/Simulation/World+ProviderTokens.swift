import APNs
import Timeline

extension World {
  /// Why APNs would refuse a provider token on a new connection; nil where it passes. It leaves no trace.
  package func refusal(ofProvider token: String, in environment: Environment, at now: Now) -> Refusal? {
    gatekeeper.refusal(ofProvider: token, in: environment, at: now.wall)
  }
}
