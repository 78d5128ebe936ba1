import APNs
import Devices
import Timeline

/// One app on one phone at one instant.
struct AppMoment: Hashable, Sendable {
  let app: Int
  let device: DeviceID
  let now: Instant
}
