import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Which pushes, calls of apps, events on phones, tokens, connections or devices are meant: those for which all that is
/// said holds. What is asked of something that does not have it never holds.
///
/// Conditions of faults, expectations, sessions, lists of the admin API and selections of devices are all made of it. A
/// `Matcher` is made of it once, and looks at each subject.
package struct Filter: Hashable, Sendable {
  // MARK: Whose it is

  package var devices: [DeviceID]?
  /// Bundle id. Of a device: the app is installed.
  package var app: String?
  package var os: OSPattern?
  package var isOnline: Bool?
  /// Which devices by chance; who makes the matcher says which ones.
  package var share = Odds.always
  package var keys: [Key]?
  /// A bundle id stands for all services of the app.
  package var topics: [SessionTopic]?

  // MARK: What was sent

  package var environment: Environment?
  package var connection: UInt64?
  package var type: PushType?
  package var priority: Priority?
  package var tokenKind: TokenKind?
  /// Of a Live Activity push, of what an app reports, or on a phone. `launch` is `launch.cold` as well.
  package var event: String?
  /// `apns-id`.
  package var id: NotificationID?
  /// As it stands in the header.
  package var topic: String?
  /// As it stands in the path, whatever the case of its digits.
  package var token: String?
  package var headers: [Header] = []
  /// What must be in its JSON body.
  package var payload: JSONValue?
  /// Name of the step that sent it.
  package var step: String?

  // MARK: What came of it

  /// What was decided, or what a backend answered.
  package var status: Int?
  package var reason: RejectionReason?
  package var sent: SentAnswerFilter?
  /// The words of Apple's console where it has any (docs/behavior/delivery.md).
  package var fate: String?
  /// Why it was dropped, kept, or remarked upon.
  package var cause: String?
  /// What the phone made of it.
  package var outcome: String?
  /// Name of the fault that struck it.
  package var fault: String?
  /// Why a call of an app failed.
  package var failure: CallOutcome.Failure?
  /// Whether a call of an app failed: anything but 2xx.
  package var isFailed: Bool?
  /// Whether an installed app, and for an update token a running activity, stands behind a token.
  package var isLive: Bool?

  package init() {}

  package var isEmpty: Bool { self == Filter() }

  /// A provider's key.
  package struct Key: Hashable, Sendable {
    package let id: String
    /// Its number on the key ring.
    package let number: Int

    package init(id: String, number: Int) {
      self.id = id
      self.number = number
    }
  }

  /// A header that a push must have, or must not: without a value.
  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: String?

    package init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }
}

extension Filter {
  /// One of the things that a filter may say.
  enum Part: UInt8, CaseIterable {
    case devices, app, os, isOnline, share, keys, topics
    case environment, connection, type, priority, tokenKind, event, id, topic, token, headers, payload, step
    case status, reason, sent, fate, cause, outcome, fault, failure, isFailed, isLive
  }

  /// Some of the parts.
  struct Parts: Hashable, Sendable, ExpressibleByArrayLiteral {
    private(set) var bits: UInt32 = 0

    init(arrayLiteral parts: Part...) { for part in parts { insert(part) } }

    mutating func insert(_ part: Part) { bits |= 1 << UInt32(part.rawValue) }
    @inline(__always) func contains(_ part: Part) -> Bool { bits >> UInt32(part.rawValue) & 1 == 1 }
    func isDisjoint(with other: Parts) -> Bool { bits & other.bits == 0 }
    var isEmpty: Bool { bits == 0 }
  }

  /// What is said.
  var parts: Parts {
    var parts: Parts = []
    for part in Part.allCases where says(part) { parts.insert(part) }
    return parts
  }

  private func says(_ part: Part) -> Bool {
    switch part {
    case .devices: devices != nil
    case .app: app != nil
    case .os: os != nil
    case .isOnline: isOnline != nil
    case .share: share != .always
    case .keys: keys != nil
    case .topics: topics != nil
    case .environment: environment != nil
    case .connection: connection != nil
    case .type: type != nil
    case .priority: priority != nil
    case .tokenKind: tokenKind != nil
    case .event: event != nil
    case .id: id != nil
    case .topic: topic != nil
    case .token: token != nil
    case .headers: !headers.isEmpty
    case .payload: payload != nil
    case .step: step != nil
    case .status: status != nil
    case .reason: reason != nil
    case .sent: sent != nil
    case .fate: fate != nil
    case .cause: cause != nil
    case .outcome: outcome != nil
    case .fault: fault != nil
    case .failure: failure != nil
    case .isFailed: isFailed != nil
    case .isLive: isLive != nil
    }
  }
}
