/// Notes for backend developers on a push that was accepted.
///
/// The numbers are those of the table of silent failures (docs/behavior/dropped-pushes.md#the-silent-failures).
package struct Remarks: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// 19: the app cannot be woken, so its backend does not receive the update token.
  package static let noRuntime = Remarks(rawValue: 1)
  /// 20: nothing in the app listens.
  package static let noObserver = Remarks(rawValue: 2)
  /// 28: applied, and drawn later.
  package static let renderDelayed = Remarks(rawValue: 4)
  /// 29: applied, and not drawn at all.
  package static let renderStuck = Remarks(rawValue: 8)
  /// 31: an alert beside `aps`, a malformed one, or one without text.
  package static let alertIgnored = Remarks(rawValue: 16)
  /// Attributes are immutable; those of an update or end are ignored.
  package static let attributesIgnored = Remarks(rawValue: 32)
  /// 18: the Allow question is not answered yet; until then there is no update token.
  package static let awaitingPermission = Remarks(rawValue: 64)
  /// The update was deferred before it was applied.
  package static let late = Remarks(rawValue: 128)
  /// The update alerted the person.
  package static let alerted = Remarks(rawValue: 256)
  /// Neither `input-push-token` nor a channel: no token will be issued.
  package static let noTokenAsked = Remarks(rawValue: 512)
  /// Images are not in the App Group; placeholders are drawn.
  package static let imagesMissing = Remarks(rawValue: 1024)

  /// The timestamp is read as seconds, so no later timestamp in seconds is newer.
  package static let millisecondTimestamp = Remarks(rawValue: 2048)
  /// A date in its content or attributes looks like one counted from 1970.
  package static let dateSince1970 = Remarks(rawValue: 4096)

  /// No broadcast and no token can ever reach it.
  package static let channelUnknown = Remarks(rawValue: 8192)

  /// The stale date of the new content is past by the phone's clock.
  package static let isStale = Remarks(rawValue: 32768)

  /// The payload has separate remarks (`PayloadRemarks`), which are read again when somebody asks for them.
  package static let hasPayloadRemarks = Remarks(rawValue: 16384)
}
