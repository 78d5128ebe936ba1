import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// A filter for pushes, calls of apps, phone events, tokens, connections or devices: those for which all given values
/// match. A value that a subject does not have never matches.
///
/// Faults, expectations, sessions, lists of the admin API and selections of devices all use it. A `Matcher` is made
/// from it once, and checks each subject.
package struct Filter: Hashable, Sendable {
  // MARK: Owner

  package var devices: [DeviceID]?
  /// The owner of the devices. The fleet resolves it into `devices` before a matcher is made.
  package var user: UserID?
  /// Bundle id. For a device: the app is installed.
  package var app: String?
  package var os: OSPattern?
  package var isOnline: Bool?
  /// A random share of the devices; the chance given to the matcher draws them.
  package var share = Odds.always
  package var keys: [Key]?
  /// A bundle id includes all services of the app.
  package var topics: [SessionTopic]?

  // MARK: Request

  package var environment: Environment?
  package var connection: UInt64?
  package var type: PushType?
  package var priority: Priority?
  package var tokenKind: TokenKind?
  /// `event` of a Live Activity push, of an app report, or the name of a phone event. `launch` includes `launch.cold`.
  package var event: String?
  /// `apns-id` or `apns-unique-id`.
  package var id: NotificationID?
  /// As written in the header.
  package var topic: String?
  /// As written in the path, ignoring case.
  package var token: String?
  package var headers: [Header] = []
  /// Content that its JSON body must have.
  package var payload: JSONValue?
  /// Name of the step that sent it.
  package var step: String?

  // MARK: Result

  /// The status as decided, or of a backend's answer.
  package var status: Int?
  package var reason: RejectionReason?
  package var sent: SentAnswerFilter?
  /// The wording of Apple's console where it has any (docs/behavior/delivery.md).
  package var fate: String?
  /// The reason why a push was dropped, stored or remarked upon.
  package var cause: String?
  /// The phone's reaction.
  package var outcome: String?
  /// Name of the fault that struck it.
  package var fault: String?
  /// The reason why a call of an app failed.
  package var failure: CallOutcome.Failure?
  /// True for a call of an app that failed: any result but 2xx.
  package var isFailed: Bool?
  // MARK: Broadcast

  /// The operation of a request about channels.
  package var operation: ChannelOperation?
  /// A channel's name in the scenario, or its id.
  package var channel: String?

  // MARK: Token

  /// Only for lists of tokens: the devices of this cell, instead of those of this process.
  package var cell: Cell?
  /// True for a token that belongs to an installed app and, for an update token, to a running activity.
  package var isLive: Bool?

  package init() {}

  package var isEmpty: Bool { self == Filter() }

  /// A provider's key.
  package struct Key: Hashable, Sendable {
    package let id: String
    /// The number of the key on the key ring.
    package let number: Int

    package init(id: String, number: Int) {
      self.id = id
      self.number = number
    }
  }

  /// A header that the push must have or, without a value, must not have.
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
  /// A criterion of a filter. They are checked in this order: numeric ones first, then cheap ones, the body last.
  enum Part: UInt8, CaseIterable {
    case app, os, isOnline, environment, connection, type, priority, tokenKind, status, isFailed, isLive
    case operation, step, channel, reason, sent, fate, outcome, cause, fault, failure, devices, share, keys
    case id, topic, topics, token, headers, event, payload
  }

  /// A set of parts.
  struct Parts: Hashable, Sendable, ExpressibleByArrayLiteral {
    private(set) var bits: UInt32 = 0

    init(arrayLiteral parts: Part...) { for part in parts { insert(part) } }

    mutating func insert(_ part: Part) { bits |= 1 << UInt32(part.rawValue) }
    func contains(_ part: Part) -> Bool { bits >> UInt32(part.rawValue) & 1 == 1 }
    func isDisjoint(with other: Parts) -> Bool { bits & other.bits == 0 }

    /// Removes the first part, in the order of checks.
    mutating func takeFirst() -> Part? {
      guard let part = Part(rawValue: UInt8(bits.trailingZeroBitCount)) else { return nil }
      bits &= bits &- 1
      return part
    }
    var isEmpty: Bool { bits == 0 }
  }

  /// The parts with a value.
  var parts: Parts {
    var parts: Parts = []
    for part in Part.allCases where has(part) { parts.insert(part) }
    return parts
  }

  private func has(_ part: Part) -> Bool {
    switch part {
    case .devices: devices != nil
    case .app: app != nil
    case .os: os != nil
    case .isOnline: isOnline != nil
    case .share: share.numerator < share.denominator
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
    case .operation: operation != nil
    case .channel: channel != nil
    }
  }
}
