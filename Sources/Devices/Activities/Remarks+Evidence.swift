import APNs

extension Remarks {
  /// A remark: its sentence in the log, and its evidence.
  package struct Known: Sendable {
    package let remark: Remarks
    package let name: String
    package let sentence: String
    private let source: Evidence

    fileprivate init(_ remark: Remarks, name: String, source: Evidence, sentence: String) {
      self.remark = remark
      self.name = name
      self.source = source
      self.sentence = sentence
    }

    package var evidence: Evidence { source.told(in: "dropped-pushes.md#\(name)") }
  }

  private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

  /// In the order of the bits.
  package static let all: [Known] = [
    Known(
      .noRuntime, name: "no-runtime",
      source: .documented("Apple, Pushing background updates to your App: it is not launched"),
      sentence:
        "the app cannot be woken (force-quit, never opened or phone not unlocked), so no token reaches the backend"),
    Known(
      .noObserver, name: "no-observer", source: .documented(article + ": observe early"),
      sentence: "the app does not observe activityUpdates at launch, so it reports no token"),
    Known(
      .renderDelayed, name: "render-delayed",
      source: .observed("5 to 15 s between drawings since iOS 18 (TechRadar, iphone-ticker.de)"),
      sentence: "the content is drawn when the spacing between two drawings is over"),
    Known(
      .renderStuck, name: "render-stuck", source: .observed("LoopFollow pull request 611; off unless set"),
      sentence: "the widget process is not invoked, so the card keeps what it showed"),
    Known(
      .alertIgnored, name: "alert-ignored", source: .assumed("one without text alerts nobody"),
      sentence: "an alert must be a dictionary inside aps with text in its title or body; this one was ignored"),
    Known(
      .attributesIgnored, name: "attributes-ignored",
      source: .observed("Server side Live Activities guide: they are immutable"),
      sentence: "attributes are immutable; those of an update or end are ignored"),
    Known(
      .awaitingPermission, name: "awaiting-permission",
      source: .observed("forum thread 836077; mfaani.com on the Allow prompt"),
      sentence: "no update token is issued until the person taps Allow"),
    Known(
      .late, name: "late", source: .documented("Apple, WWDC23 session 10185: pushes may be held"),
      sentence: "it was deferred"),
    Known(.alerted, name: "alerted", source: .documented(article), sentence: "it alerted the person"),
    Known(
      .dateSince1970, name: "date-since-1970",
      source: .observed("ios-library issue 411; iOS issue 4677 of home-assistant"),
      sentence:
        "a date in the content looks like seconds since 1970; Swift's decoder counts from 2001, so it is decades"
        + " ahead"),
    Known(
      .noTokenAsked, name: "no-token-asked",
      source: .disputed("Server side Live Activities guide got a token without it, another log never did"),
      sentence: "without input-push-token no update token is issued"),
    Known(
      .millisecondTimestamp, name: "millisecond-timestamp",
      source: .assumed("it is accepted; senders that write milliseconds: firebase-ios-sdk issue 15648"),
      sentence:
        "aps.timestamp looks like milliseconds; it counts seconds, so later updates in seconds will be dropped as older"
    ),
    Known(
      .channelUnknown, name: "channel-unknown",
      source: .assumed("the start by push; Apple says that one by the app fails"),
      sentence:
        "the app has no channel with the id in input-push-channel, so neither a broadcast nor a token can reach the"
        + " activity"),
    Known(
      .imagesMissing, name: "images-missing", source: .documented("Apple, Displaying live data with Live Activities"),
      sentence: "images are not in the App Group; the widget has no network to fetch them"),
  ]
}
