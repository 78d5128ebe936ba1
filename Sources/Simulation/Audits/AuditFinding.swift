import APNs
import Devices
import Timeline

/// A mistake of a backend, found during a run, that costs it pushes or Apple's trust.
package struct AuditFinding: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A phone received the same push twice.
    case duplicate
    /// An update with an older timestamp than the activity had.
    case olderTimestamp
    case updateAfterEnd
    /// Pushed again immediately after 429 or 5xx.
    case hastyRetry
    /// Pushed to a token after a 410 for it that was newer than its registration.
    case deadToken
    /// Never pushed again to a valid token after a 410 older than its registration.
    case tokenThrownAway
    /// A rejected update was displayed after a newer one, with a new timestamp.
    case outOfOrder
    /// A new provider token when the last one was less than 20 minutes old.
    case providerTokenRenewed
    /// Connections with one push each.
    case connectionPerPush

    /// How we know that it is a mistake.
    package var source: Evidence { ground.told(in: "findings.md#\(rawValue.lowercased())") }

    private var ground: Evidence {
      switch self {
      case .duplicate: .observed("novu pull request 10636, pushy issue 794, rpush issue 331")
      case .olderTimestamp:
        .documented("Apple, Starting and updating Live Activities with ActivityKit push notifications")
      case .updateAfterEnd: .observed("Sightscreen's guide: a dismissed activity is not pushed to")
      case .hastyRetry: .documented("Apple, Handling notification responses from APNs: wait after 429 and 503")
      case .deadToken: .documented("Apple, Handling notification responses from APNs: stop pushing after 410")
      case .tokenThrownAway:
        .documented("Apple, Handling notification responses from APNs: registered since, the token is valid again")
      case .outOfOrder: .observed("Sightscreen's guide: a retry carries the state of its time; the newest wins")
      case .providerTokenRenewed:
        .documented("Apple, Establishing a token-based connection to APNs: every 20 to 60 min")
      case .connectionPerPush:
        .documented("Apple, Sending notification requests to APNs: keep connections open and use them again")
      }
    }
  }

  /// Its number, from 1.
  package let number: UInt64
  package let kind: Kind
  package let at: Instant
  package let device: DeviceID?
  package let push: NotificationID?
  package let sentence: String
}
