import APNs
import Timeline

extension Observer {
  /// The first occurrence of an event name, and the number of occurrences.
  struct Observation: Sendable {
    var count: Int
    let device: DeviceID
    let at: Instant
  }
}
