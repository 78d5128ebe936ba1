import APNs
import Devices
import Reporting
import Timeline
import WireFormats

extension Matcher {
  /// The parts of a filter that are not numeric.
  final class SlowCriteria: Sendable {
    struct Header: Sendable {
      let name: String
      let nameBytes: [UInt8]
      let value: [UInt8]?
    }

    let parts: Filter.Parts
    let headers: [Header]
    private let devices: Set<DeviceID>
    private let share: Odds
    private let chance: Chance
    private let keys: [Int]
    private let topics: [SessionTopic]
    private let event: String
    private let eventBytes: [UInt8]
    private let id: NotificationID?
    private let topic: [UInt8]
    private let token: [UInt8]
    private let payload: JSONValue
    /// For each step, true if the step has the name in the filter.
    private let isStep: [Bool]
    private let reason: RejectionReason?
    private let sent: SentAnswerFilter?
    private let fate: DeliveryStatus?
    private let cause: FateCause
    private let outcome: String?
    private let fault: String?
    private let failure: CallOutcome.Failure?
    private let operation: ChannelOperation?
    private let channel: String?

    init(_ parts: Filter.Parts, of filter: Filter, steps: [String?], chance: Chance) {
      self.parts = parts
      self.chance = chance
      headers = filter.headers.map { header in
        Header(name: header.name, nameBytes: Array(header.name.utf8), value: header.value.map { Array($0.utf8) })
      }
      devices = Set(filter.devices ?? [])
      share = filter.share
      keys = filter.keys?.map(\.number) ?? []
      topics = filter.topics ?? []
      event = filter.event ?? ""
      eventBytes = Array(event.utf8)
      id = filter.id
      topic = filter.topic.map { Array($0.utf8) } ?? []
      token = filter.token?.utf8.map { $0 | 0x20 } ?? []
      payload = filter.payload ?? .null
      isStep = filter.step.map { name in steps.map { $0 == name } } ?? []
      reason = filter.reason
      sent = filter.sent
      fate = filter.fate.flatMap { words in DeliveryStatus.allCases.first { $0.words == words } }
      cause = FateCause(filter.cause ?? "")
      outcome = filter.outcome
      fault = filter.fault
      failure = filter.failure
      operation = filter.operation
      channel = filter.channel
    }

    func matches(_ subject: inout some MatchSubject) -> Bool {
      var left = parts
      while let part = left.takeFirst() { if !holds(part, &subject) { return false } }
      return true
    }

    func holds(_ part: Filter.Part, _ subject: inout some MatchSubject) -> Bool {
      switch part {
      case .step: subject.step.map { isStep.indices.contains($0) && isStep[$0] } ?? false
      case .reason: subject.reason == reason
      case .sent: sent.map { sent in subject.sent.map { sent.matches($0) } ?? false } ?? true
      case .fate: subject.fate.map { $0.status == fate } ?? false
      case .outcome: subject.fate?.outcome.map { $0 == outcome } ?? false
      case .cause: subject.fate?.has(cause) ?? false
      case .fault: subject.fault == fault
      case .failure: subject.failure == failure
      case .operation: subject.operation == operation
      case .channel: channel.map { subject.isChannel($0) } ?? false
      case .devices: subject.device.map { devices.contains($0) } ?? false
      case .share: subject.device.map { chance.strikes(share, subject: UInt64($0.number)) } ?? false
      case .keys: subject.key.map { keys.contains($0) } ?? false
      case .id: id.map { subject.hasID($0) } ?? false
      case .topic: hasTopic(subject)
      case .topics: isTopic(subject)
      case .token: isToken(subject)
      case .headers: headers.allSatisfy { holds($0, &subject) }
      case .event: subject.isEvent(event, eventBytes)
      case .payload: subject.body().map { payload.isPart(of: $0) } ?? false
      case .app, .os, .isOnline, .environment, .connection, .type, .priority, .tokenKind, .status, .isFailed, .isLive:
        true
      }
    }

    private func hasTopic(_ subject: some MatchSubject) -> Bool {
      guard let push = subject.push else { return false }
      let bytes = topic
      return push.hasTopic(bytes.span)
    }

    private func isTopic(_ subject: some MatchSubject) -> Bool {
      guard let push = subject.push, let range = push.topicRange else { return false }
      let storage = push.request.storage
      return topics.contains { $0.matches(storage.span, range) }
    }

    private func isToken(_ subject: some MatchSubject) -> Bool {
      guard let digits = subject.push?.token(to: subject.address), digits.count == token.count else { return false }
      return digits.elementsEqual(token) { $0 | 0x20 == $1 }
    }

    func holds(_ header: Header, _ subject: inout some MatchSubject) -> Bool {
      guard let push = subject.push else { return false }
      // The path has the device token, and a push to many devices has the path of only one.
      let request = header.nameBytes.first == 0x3A ? push.request(to: subject.address) : push.request
      let storage = request.storage
      let bytes = storage.span
      var cursor = HTTPFieldCursor()
      while let field = cursor.next(in: bytes, end: request.bodyStart) {
        guard bytes.holds(field.name, header.nameBytes.span) else { continue }
        guard let value = header.value else { return false }
        return bytes.holds(field.value, value.span)
      }
      return header.value == nil
    }
  }
}

extension Matcher {
  /// The relation of a push to a scope.
  enum ScopeMatch: Hashable, Sendable {
    /// A known value contradicts the scope.
    case foreign
    /// Nothing contradicts it and something matches, but not all criteria could be checked.
    case likely
    case sure
  }

  func scopeMatch(_ subject: inout some MatchSubject) -> ScopeMatch {
    var known = 0
    var unknown = 0
    for part in Filter.Part.allCases where parts.contains(part) {
      guard Self.isKnown(part, of: subject) else {
        unknown += 1
        continue
      }
      guard holds(part, &subject) else { return .foreign }
      known += 1
    }
    if unknown == 0 { return .sure }
    return known > 0 ? .likely : .foreign
  }

  private static func isKnown(_ part: Filter.Part, of subject: some MatchSubject) -> Bool {
    switch part {
    case .keys: subject.key != nil
    case .devices: subject.device != nil
    case .topics: subject.push?.topicRange != nil
    default: true
    }
  }
}

extension PushAnswer {
  /// True if the push has that `apns-id` or `apns-unique-id`, ignoring case.
  func hasID(_ id: NotificationID) -> Bool {
    self.id.isSame(as: id) || uniqueID.map { $0.isSame(as: id) } ?? false
  }
}
