import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Reads the events of a whole run and records mistakes of the backend.
package struct Auditor: Sendable {
  /// What is remembered about a token.
  private struct Known: Sendable {
    var deadSince: Instant?
    var endedAt: Instant?
    /// Pushes before this time are too early.
    var notBefore: Instant?
    /// The last deliveries: what was in them, and when.
    var delivered: [(payload: UInt64, id: NotificationID, at: Instant)] = []
  }

  /// Maximum number of findings kept; `total` counts all.
  private static let most = 1000
  private static let mostTokens = 200_000
  /// Number of deliveries per token that are compared.
  private static let mostDelivered = 8
  /// The same payload within this time counts as the same push. Assumed.
  private static let sameWithin: Duration = .seconds(60)
  /// Documented: a provider token must be at least this old when it is replaced.
  private static let tokenAge: Duration = .seconds(20 * 60)
  /// Assumed: a retry within a second did not wait.
  private static let patience: Duration = .seconds(1)
  /// This many connections in a row with one push each are a finding.
  private static let lonely = 10

  package private(set) var findings: [AuditFinding] = []
  package private(set) var total: UInt64 = 0
  private var counts: [AuditFinding.Kind: UInt64] = [:]
  private var tokens: [UInt64: Known] = [:]
  private var connections: [ProviderConnectionID: Int] = [:]
  private var lonelyInARow = 0
  private var lastPush = Instant.distantPast
  /// When an app started and finished reporting a token to its backend, if the backend accepted it.
  private var registrations: [UInt64: (began: Instant, ended: Instant)] = [:]
  /// By token with a rejected push.
  private var lates: [UInt64: LateUpdates] = [:]
  private var thrownAway = DiscardedTokens()
  /// By key: the current provider token, and since when it is used.
  private var providers: [Int: (token: UInt64, since: Instant)] = [:]

  package init() {}

  package func count(_ kind: AuditFinding.Kind) -> UInt64 { counts[kind] ?? 0 }

  mutating func read(_ event: WorldEvent) {
    switch event {
    case .connectionOpened(let id, _, _): connections[id] = 0
    case .connectionClosed(let id): closed(id)
    case .push(let record): read(record)
    case .pushSettled(_, let device, let fate, let at):
      if case .dropped(.staleTimestamp, _)? = fate.reaction { older(device, nil, at) }
    case .callEnded(let end) where end.outcome.isSuccess: registered(end)
    case .phone(let device, _, let deviceEvent, _): thrownAway.clear(device, deviceEvent)
    default: break
    }
  }

  private mutating func registered(_ end: CallEnd) {
    // An action of the person in the app may be the reason why no more pushes are sent.
    if ["action.", "activityState", "activityError", "laEnablement", "frequentPushes"].contains(where: {
      end.event.hasPrefix($0)
    }) {
      thrownAway.clear(end.device)
    }
    for token in ReportedTokens.tokens(in: end) {
      let key = Self.hash(token.text.utf8)
      if registrations.count >= Self.mostTokens { registrations.removeAll(keepingCapacity: true) }
      registrations[key] = (end.began, end.at)
      // Documented: a token that is registered again is valid again.
      tokens[key]?.deadSince = nil
      thrownAway.clear(key)
    }
  }

  private mutating func read(_ record: PushRecord) {
    // A session's auditor learns of a connection from the first push of the session on it.
    connections[record.stream.connection, default: 0] += 1
    lastPush = record.at.world
    let (token, authorization) = Self.marks(of: record)
    watchProvider(record, authorization)
    if tokens.count >= Self.mostTokens, tokens[token] == nil { tokens.removeAll(keepingCapacity: true) }
    var known = tokens[token] ?? Known()
    audit(record, &known)
    track(record, token, &known)
    watchUpdates(record, token)
    if !registrations.isEmpty { watchThrownAway(record, token) }
    tokens[token] = known
  }

  /// Checks what is wrong with this push.
  private mutating func audit(_ record: PushRecord, _ known: inout Known) {
    let now = record.at.world
    let device = record.address?.device
    let id = record.answer.id
    // A push within a second of the 410 may have been in flight already.
    if let since = known.deadSince, since.advanced(by: Self.patience) <= now {
      find(
        .deadToken, now, device, id,
        "A push to a token for which 410 was answered \(Self.ago(since, now)); delete a token when a 410 has a"
          + " timestamp that is not older than the token's registration.")
    } else if let ended = known.endedAt {
      find(
        .updateAfterEnd, now, device, id,
        "A push to the update token of an activity whose end was delivered \(Self.ago(ended, now)).")
    }
    if let notBefore = known.notBefore, now < notBefore {
      find(
        .hastyRetry, now, device, id,
        "A push to a token within a second of a 429 or 5xx for it; obey Retry-After and back off.")
    }
    if case .dropped(.staleTimestamp, _)? = record.firstFate.reaction { older(device, id, now) }
  }

  /// Updates what is known of the token.
  private mutating func track(_ record: PushRecord, _ token: UInt64, _ known: inout Known) {
    let now = record.at.world
    let status = record.answer.status
    known.notBefore = status == 429 || status >= 500 ? now.advanced(by: Self.patience) : nil
    if status == 410 {
      // Documented: a 410 older than the registration refers to an earlier registration of the token.
      let isOlder = Self.rejection(record, isOlderThan: registrations[token]?.ended)
      known.deadSince = isOlder ? nil : known.deadSince ?? now
    }
    guard status == 200 else { return }
    known.deadSince = nil
    guard let reaction = record.firstFate.reaction else { return }
    if case .ended = reaction { known.endedAt = now }
    // For Live Activities, the timestamp already prevents duplicates.
    guard record.address?.slot.isLiveActivity != true else { return }
    let storage = record.push.request.storage
    let payload = Self.hash(storage.span, record.push.payloadRange)
    if let before = known.delivered.first(where: { $0.id == record.answer.id || $0.payload == payload }),
      before.id == record.answer.id || now < before.at.advanced(by: Self.sameWithin)
    {
      find(
        .duplicate, now, record.address?.device, record.answer.id,
        before.id == record.answer.id
          ? "The phone received apns-id \(before.id.text) twice."
          : "The phone received a payload again with another apns-id, \(Self.ago(before.at, now)); keep the apns-id"
            + " when you retry a push.")
    }
    known.delivered.append((payload, record.answer.id, now))
    if known.delivered.count > Self.mostDelivered { known.delivered.removeFirst() }
  }

  private static func rejection(_ record: PushRecord, isOlderThan registered: Instant?) -> Bool {
    guard let registered, let since = record.answer.rejection?.since else { return false }
    return since <= registered
  }

  /// Checks for old states displayed after newer ones.
  private mutating func watchUpdates(_ record: PushRecord, _ token: UInt64) {
    let status = record.answer.status
    let isRefused = status == 429 || status >= 500 || record.firstFate == .discarded(.byFault)
    guard isRefused || !lates.isEmpty, let address = record.address, address.slot.isActivity else { return }
    let isApplied = if case .updated? = record.firstFate.reaction { true } else { false }
    guard isRefused || isApplied && lates[token] != nil else { return }
    let storage = record.push.request.storage
    let read = try? JSONNode.read(storage.span, record.push.payloadRange) {
      $0["aps"]?["content-state"]?.whole.text
    }
    guard let text = read ?? nil else { return }
    let content = Self.hash(text.utf8)
    if isRefused {
      if lates.count >= Self.mostTokens { lates.removeAll(keepingCapacity: true) }
      return lates[token, default: LateUpdates()].refused(record, content: content)
    }
    var late = lates.removeValue(forKey: token) ?? LateUpdates()
    let isOld = late.applied(record, content: content)
    if !late.isEmpty { lates[token] = late }
    guard isOld else { return }
    find(
      .outOfOrder, record.at.world, address.device, record.answer.id,
      "A rejected update was displayed after a newer one, with a new timestamp; retry with the newest state, not"
        + " the old one.")
  }

  /// Checks for valid tokens that were dropped after a 410 older than their registration.
  private mutating func watchThrownAway(_ record: PushRecord, _ token: UInt64) {
    if record.answer.status == 410, let address = record.address,
      Self.rejection(record, isOlderThan: registrations[token]?.began)
    {
      return thrownAway.suspect(token, address, record) { Self.payload($0) }
    }
    thrownAway.clear(token)
    guard record.answer.status == 200 else { return }
    let now = record.at.world
    for found in thrownAway.accepted(token, record, payload: { Self.payload($0) }) {
      find(
        .tokenThrownAway, now, found.address.device, found.push,
        "No push to a valid token since a 410 \(Self.ago(found.at, now)) with a timestamp older than the token's"
          + " registration, while other tokens got pushes; compare the timestamp with the time of registration.")
    }
  }

  private mutating func watchProvider(_ record: PushRecord, _ authorization: UInt64?) {
    guard let key = record.keyNumber, let token = authorization else { return }
    let now = record.at.wall
    guard let present = providers[key] else { return providers[key] = (token, now) }
    guard present.token != token else { return }
    if now < present.since.advanced(by: Self.tokenAge) {
      find(
        .providerTokenRenewed, record.at.world, nil, record.answer.id,
        "A new provider token although the last was first used \(Self.ago(present.since, now)); use each token for"
          + " 20 to 60 minutes, in all workers.")
    }
    providers[key] = (token, now)
  }

  private mutating func older(_ device: DeviceID?, _ id: NotificationID?, _ now: Instant) {
    find(
      .olderTimestamp, now, device, id,
      "An update whose timestamp is not newer than one the activity had; the phone ignored it silently.")
  }

  private mutating func closed(_ id: ProviderConnectionID) {
    guard let pushes = connections.removeValue(forKey: id), pushes > 0 else { return }
    lonelyInARow = pushes == 1 ? lonelyInARow + 1 : 0
    guard lonelyInARow == Self.lonely else { return }
    lonelyInARow = 0
    find(
      .connectionPerPush, lastPush, nil, nil,
      "\(Self.lonely) connections in a row carried one push each; keep connections open and reuse them.")
  }

  private mutating func find(
    _ kind: AuditFinding.Kind, _ at: Instant, _ device: DeviceID?, _ push: NotificationID?, _ sentence: String
  ) {
    total += 1
    counts[kind, default: 0] += 1
    if findings.count >= 2 * Self.most { findings.removeFirst(Self.most) }
    findings.append(AuditFinding(number: total, kind: kind, at: at, device: device, push: push, sentence: sentence))
  }

  private static func ago(_ then: Instant, _ now: Instant) -> String {
    "\(DurationText.write(then.duration(to: now))) before"
  }

  /// Hashes of the device token and the provider token. Every push is processed, so no text is created.
  private static func marks(of record: PushRecord) -> (token: UInt64, authorization: UInt64?) {
    let push = record.push
    let storage = push.request.storage
    let token = push.token(to: record.address).map { tokenHash($0.span, 0..<$0.count) }
    return (token ?? 0, push.authorizationRange.map { hash(storage.span, $0) })
  }

  /// As apps report it: the last part of the path, in lower case.
  private static func tokenHash(_ bytes: Span<UInt8>, _ path: Range<Int>) -> UInt64 {
    var start = path.upperBound
    var hasCapitals = false
    while start > path.lowerBound, bytes[start - 1] != UInt8(ascii: "/") {
      start -= 1
      hasCapitals = hasCapitals || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[start])
    }
    guard hasCapitals else { return hash(bytes, start..<path.upperBound) }
    return hash((start..<path.upperBound).map { bytes[$0] | 0x20 })
  }

  /// The hash of a token as apps report it, or of any other bytes.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    let list = Array(bytes)
    return hash(list.span, list.indices)
  }

  /// Hashes a word at a time. A collision made on purpose would only hide findings about its author's own backend.
  private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var state = UInt64(range.count)
    func mix(_ word: UInt64) { state = ((state << 5 | state >> 59) ^ word) &* 0x9E37_79B9_7F4A_7C15 }
    var offset = range.lowerBound
    while offset + 8 <= min(range.upperBound, bytes.count) {
      mix(bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    for index in offset..<max(offset, range.upperBound) { mix(UInt64(bytes[index])) }
    return state ^ state >> 29
  }

  private static func payload(_ record: PushRecord) -> UInt64 {
    let storage = record.push.request.storage
    return hash(storage.span, record.push.payloadRange)
  }
}
