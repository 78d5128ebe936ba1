import APNs
import Devices
import Timeline

/// A line of a device's log, or of the story of a push.
package struct LogLine: Hashable, Sendable {
  package let at: Instant
  /// Nil for an event at APNs, before the phone.
  package let process: LogProcess?
  /// A short name, shared by all lines of the kind.
  package let event: String
  /// A sentence about the event.
  package let sentence: String
  /// The reason why a push was dropped, stored or remarked upon.
  package var cause: String?
  package var evidence: Evidence?
  package var app: Int?
  package var activity: UInt32?
  package var push: NotificationID?
  package var deviceEvent: DeviceEvent?

  package init(at: Instant, process: LogProcess?, event: String, sentence: String) {
    self.at = at
    self.process = process
    self.event = event
    self.sentence = sentence
  }
}
