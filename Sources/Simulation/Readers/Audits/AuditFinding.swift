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
    /// Provider tokens that are older than an hour.
    case providerTokenExpired
    /// Connections with one push each.
    case connectionPerPush
    /// Pushed again to a token that was refused as bad, or as another app's.
    case refusedToken
    /// Pushed to a token that its phone has replaced, after the app told the backend of the new one.
    case replacedToken
    /// An update or end to a push-to-start token, or a start to an update token.
    case wrongTokenKind
    /// A payload that the phone cannot carry out, though APNs took it.
    case payloadDropped
    /// A timestamp in milliseconds.
    case millisecondTimestamp
    /// A date in content that counts from 1970.
    case dateSince1970
    /// Fields that the phone ignores: attributes beside an update, an alert beside `aps`, members of a wrong type or
    /// unit.
    case fieldsIgnored
    /// Updates in a row with nothing new but the timestamp.
    case sameContent
    /// More updates of priority 10 than the phone's budget.
    case updateBudgetSpent
    /// More starts by push than the phone's budget or its limit of activities allows.
    case startsSpent
    /// More background pushes than the few an hour that wake an app.
    case backgroundThrottled
    /// A push to an activity after the app had reported that the person dismissed it.
    case pushAfterDismissal
    /// A background push of another priority than 5.
    case backgroundPriority
    /// A date in `apns-expiration` that is probably in another unit.
    case expirationUnit
    /// No `apns-expiration` on a push to a phone that is offline.
    case noExpiration
    /// A push replaced an older one that its phone had not acknowledged.
    case overwritten
    /// An activity that pushes had been sent to ran until its eight hours were over.
    case neverEnded

    /// Evidence that findings of this kind are mistakes.
    package var source: Evidence { ground.told(in: "findings.md#\(rawValue.lowercased())") }

    private static let article = "Apple, Starting and updating Live Activities with ActivityKit push notifications"

    private var ground: Evidence {
      switch self {
      case .duplicate: .observed("novu pull request 10636, pushy issue 794, rpush issue 331")
      case .olderTimestamp:
        .documented(Self.article)
      case .updateAfterEnd: .documented("Apple, ActivityState: nothing changes it any more")
      case .hastyRetry: .documented("Apple, Handling notification responses from APNs: wait after 429 and 503")
      case .deadToken: .documented("Apple, Handling notification responses from APNs: stop pushing after 410")
      case .tokenThrownAway:
        .documented("Apple, Handling notification responses from APNs: registered since, the token is valid again")
      case .outOfOrder: .observed("Sightscreen's guide: a retry carries the state of its time; the newest wins")
      case .providerTokenExpired:
        .documented("Apple, Establishing a token-based connection to APNs: good for an hour")
      case .refusedToken:
        .documented("Apple, Handling notification responses from APNs: BadDeviceToken, DeviceTokenNotForTopic")
      case .replacedToken, .payloadDropped, .sameContent: .documented(Self.article)
      case .startsSpent: .observed("the budget, an Apple engineer in forum thread 799505; five activities, OneSignal")
      case .wrongTokenKind: .documented(Self.article + ": the two kinds have two purposes")
      case .millisecondTimestamp: .observed("senders that write milliseconds (firebase-ios-sdk issue 15648)")
      case .dateSince1970: .observed("ios-library issue 411; iOS issue 4677 of home-assistant")
      case .fieldsIgnored: .observed("Server side Live Activities guide: attributes are immutable")
      case .updateBudgetSpent: .documented("Apple, WWDC23 session 10185: try priority 5 first")
      case .backgroundThrottled:
        .documented("Apple, Pushing background updates to your App: no more than two or three an hour")
      case .pushAfterDismissal: .observed("Sightscreen's pages on its app: no pushes to a dismissed activity")
      case .backgroundPriority: .disputed("an error according to Apple, accepted according to forum thread 745345")
      case .expirationUnit: .observed("rpush issue 420, NWPusher issue 73, parse-server-push-adapter issue 14")
      case .noExpiration: .disputed("stored for 30 days according to Apple; micromdm issue 609: sent once")
      case .overwritten: .documented("Apple, Troubleshooting push notifications: each might overwrite the previous")
      case .neverEnded: .observed("Sightscreen's guide: always send an end; what ends by itself is a safety net")
      case .providerTokenRenewed:
        .documented("Apple, Establishing a token-based connection to APNs: every 20 to 60 min")
      case .connectionPerPush:
        .documented("Apple, Sending notification requests to APNs: keep connections open and use them again")
      }
    }
  }

  /// A mistake of a backend, and the advice.
  struct Mistake: Hashable, Sendable {
    /// A sentence without its period.
    let what: String
    /// A clause that begins with a verb; nil if that of the kind says it.
    var instead: String?
    /// Nil if that of the kind applies.
    var evidence: Evidence?

    init(_ what: String, instead: String? = nil, evidence: Evidence? = nil) {
      self.what = what
      self.instead = instead
      self.evidence = evidence
    }
  }

  /// The number of this finding in its audit, from 1.
  package let number: UInt64
  package let kind: Kind
  package let at: Instant
  package let device: DeviceID?
  package let push: NotificationID?
  let mistake: Mistake
  /// The mistake, and after a semicolon the advice.
  ///
  /// The text is put together when it is read, as that of the evidence: most findings of a load are never looked at.
  package var sentence: String { "\(mistake.what); \(mistake.instead ?? kind.instead)." }
  /// Evidence that the finding is a mistake.
  package var evidence: Evidence { mistake.evidence ?? kind.source }
}
