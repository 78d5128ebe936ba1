import APNs
import Timeline

/// An app on a phone at an instant.
struct AppContext: Hashable, Sendable {
  let app: Int
  let device: DeviceID
  let now: Instant
}
