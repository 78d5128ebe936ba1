import Timeline
import WireFormats

/// A notification in a phone's list.
package struct ShownNotification: Hashable, Sendable {
  /// Counts the notifications of its install; a replacement has a number of its own.
  package let number: UInt32
  package let collapseID: String?
  package let threadID: String?
  package let category: String?
  package let targetContentID: String?
  /// The push, and so what the app is handed at a tap.
  package let request: HTTPRequest
  package let alert: RenderedAlert
  /// What was heard when it came.
  package let sound: NotificationSound?
  package let interruption: InterruptionLevel
  package let at: Instant
  /// It came without a banner.
  package let isQuiet: Bool
}
