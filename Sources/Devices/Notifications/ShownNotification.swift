import Timeline
import WireFormats

/// A notification in a phone's list, with its payload, from which its texts are derived.
package struct ShownNotification: Hashable, Sendable {
  /// The number of the notification within its install; a replacement gets a new number.
  package let number: UInt32
  package let collapseID: String?
  /// The body of the push without its headers, which the app receives at a tap.
  package let payload: [UInt8]
  /// The sound that was played when it arrived.
  package let sound: NotificationSound?
  package let interruption: InterruptionLevel
  package let at: Instant
  /// True if it came without a banner.
  package let isQuiet: Bool

  /// The texts of a notification, localized for an app and a language.
  package struct Text: Hashable, Sendable {
    package let alert: RenderedAlert
    package let threadID: String?
    package let category: String?
    package let targetContentID: String?
  }

  /// - Parameters:
  ///   - strings: the app's.
  ///   - language: the phone's.
  package func text(_ strings: StringTable, in language: String) -> Text {
    let read = try? JSONNode.read(payload) { NotificationPayload($0) }
    return Text(
      alert: read?.alert?.rendered(strings, in: language) ?? RenderedAlert(), threadID: read?.threadID,
      category: read?.category, targetContentID: read?.targetContentID)
  }

  /// Memory charged for it, in bytes.
  var memory: Int {
    MemoryCharge.notification + payload.count + (collapseID?.utf8.count ?? 0) + (sound?.name.utf8.count ?? 0)
  }
}
