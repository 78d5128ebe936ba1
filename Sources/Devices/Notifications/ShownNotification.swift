import Timeline
import WireFormats

/// A notification in a phone's list: what a person does with it, and its payload, off which all else is read.
package struct ShownNotification: Hashable, Sendable {
  /// Counts the notifications of its install; a replacement has a number of its own.
  package let number: UInt32
  package let collapseID: String?
  /// The body of the push without its fields, and so what the app is handed at a tap.
  package let payload: [UInt8]
  /// What was heard when it came.
  package let sound: NotificationSound?
  package let interruption: InterruptionLevel
  package let at: Instant
  /// It came without a banner.
  package let isQuiet: Bool

  /// What it says, in the words of an app and a language.
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

  /// Bytes it is charged with.
  var memory: Int {
    DeviceMemory.notification + payload.count + (collapseID?.utf8.count ?? 0) + (sound?.name.utf8.count ?? 0)
  }
}
