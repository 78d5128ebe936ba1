import APNs
import Timeline

/// One app on one phone at one instant.
struct AppContext: Hashable, Sendable {
  let app: Int
  let device: DeviceID
  let now: Instant
}
