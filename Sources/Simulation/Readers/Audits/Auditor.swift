import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Reads the events of a whole run and records mistakes of the backend.
package struct Auditor: Sendable {
  /// Maximum number of findings kept; `total` counts all.
  private static let mostFindings = 1000
  package static let mostTokens = 200_000
  /// Number of deliveries per token that are compared.
  private static let mostDelivered = 8
  /// The time within which an equal payload counts as the same push. Assumed.
  private static let sameWithin: Duration = .seconds(60)
  /// Documented: a provider token must be at least this old when it is replaced.
  static let tokenAge: Duration = .seconds(20 * 60)
  /// Assumed: a retry within a second did not wait.
  static let patience: Duration = .seconds(1)
  /// The number of updates in a row with the same content that are a finding. Assumed.
  static let sameInARow = 3
  /// The number of connections in a row with one push each that are a finding.
  private static let lonely = 10

  package private(set) var findings: [AuditFinding] = []
  /// Number of the last finding, from 1; it continues after the world began anew.
  package private(set) var total: UInt64 = 0
  private var found = FindingCounts()
  var tokens: RecentTable<UInt64, AuditedToken>
  /// Number of pushes on each open connection.
  private var connections: [ProviderConnectionID: Int] = [:]
  /// True if the last push was the first on its connection.
  private(set) var hasNewConnection = false
  private var lonelyInARow = 0
  private var lastPush = Instant.distantPast
  /// The times at which an app began and finished reporting a token to its backend, if the backend accepted it.
  private var registrations: RecentTable<UInt64, (began: Instant, ended: Instant)>
  /// By token, if a push to it was rejected.
  var lates: RecentTable<UInt64, LateUpdates>
  /// By number, old states that phones or APNs keep, to be displayed after newer ones.
  var keptLate: RecentTable<UInt64, NotificationID>
  /// Numbers of pushes that a fault has made late: that they are old when they arrive is no mistake.
  private var onTheWay: Set<UInt64> = []
  private var thrownAway = DiscardedTokens()
  /// By key: the provider tokens in use.
  var providers: [Int: ProviderTokens] = [:]
  /// Provider tokens that were reported as expired.
  var expired: RecentTable<UInt64, Void>
  private var activities: AuditedActivities
  /// Numbers of the pushes that a person has sent by the admin API.
  private var ofPersons: RecentTable<UInt64, Void>
  var replaced: ReplacedTokens
  private let most: Int

  /// - Parameter most: number of tokens, reports and activities that are remembered for certain.
  package init(remembering most: Int = mostTokens) {
    self.most = most
    tokens = RecentTable(most: most)
    registrations = RecentTable(most: most)
    lates = RecentTable(most: most)
    keptLate = RecentTable(most: most)
    expired = RecentTable(most: most)
    ofPersons = RecentTable(most: most)
    activities = AuditedActivities(most: most)
    replaced = ReplacedTokens(most: most)
  }

  /// The findings so far by kind, and what is forgotten.
  package var counts: FindingCounts {
    var counts = found
    counts.forgotten =
      tokens.forgotten + registrations.forgotten + lates.forgotten + keptLate.forgotten + expired.forgotten
      + thrownAway.overlooked + activities.forgotten + replaced.forgotten
    return counts
  }

  package func count(_ kind: AuditFinding.Kind) -> UInt64 { found.count(kind) }

  /// Forgets everything but the number of the last finding.
  package mutating func beginAnew() {
    let last = total
    self = Auditor(remembering: most)
    total = last
  }

  package mutating func read(_ event: WorldEvent) {
    switch event {
    case .connectionOpened(let id, _, _): connections[id] = 0
    case .connectionClosed(let id): closed(id)
    case .push(let record): read(record)
    case .channels(let record) where record.operation == .publish: read(record)
    // The fates of broadcasts are not audited: one mistake would be a finding for each of their phones.
    case .pushSettled(let number, let device, let fate, let at) where !BroadcastNumber.isBroadcast(number):
      guard ofPersons[number] == nil else { break }
      settle(number, on: device, fate: fate, at: at)
      let wasLate = !onTheWay.isEmpty && onTheWay.remove(number) != nil
      if !wasLate, case .dropped(.staleTimestamp, _)? = fate.reaction { older(on: device, push: nil, at: at) }
      if fate == .discarded(.overwritten) {
        find(
          .overwritten, at: at, on: device, push: nil,
          mistake: .init("A push overwrote an older one that its phone had not acknowledged"))
      }
      judge(fate, on: device, push: nil, at: at)
      watchSettled(fate, on: device, at: at)
    case .callEnded(let end) where end.outcome.isSuccess: registered(end)
    case .phone(let device, let app, let deviceEvent, let at):
      thrownAway.clear(device, deviceEvent)
      replaced.read(deviceEvent, of: app, on: device, at: at)
      guard let app, activities.read(deviceEvent, of: app, on: device) else { break }
      find(
        .neverEnded, at: at, on: device, push: nil,
        mistake: .init("An activity that received pushes ran until its eight hours were over"))
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
    activities.read(end)
    replaced.read(end)
    for token in ReportedTokens.tokens(in: end) {
      let key = Self.hash(token.text.utf8)
      registrations[key] = (end.began, end.at)
      // Documented: a token that is registered again is valid again.
      if tokens[key]?.deadSince != nil { tokens[key]?.deadSince = nil }
      thrownAway.clear(key)
    }
  }

  private mutating func read(_ record: PushRecord) {
    guard record.stream.connection.number < ProviderConnectionID.firstOfAdmin else {
      ofPersons[record.sequence] = ()
      return
    }
    // A session's auditor learns of a connection from the first push of the session on it.
    hasNewConnection = Self.isFirst(&connections[record.stream.connection, default: 0])
    lastPush = record.at.world
    if case .onTheWay(let why, _) = record.firstFate, why != .unacknowledged { onTheWay.insert(record.sequence) }
    let (token, authorization) = Self.marks(of: record)
    // Pushpit's own pushes are signed with tokens of its own.
    if record.stream.connection.number < ProviderConnectionID.firstSimulated {
      watchProvider(record, authorization)
      watchExpiry(record, authorization)
    }
    var known = tokens[token] ?? AuditedToken()
    audit(record, &known)
    track(record, token: token, known: &known)
    watchUpdates(record, token)
    if !registrations.isEmpty { watchThrownAway(record, token) }
    tokens[token] = known
  }

  /// Counts a push on a connection.
  private static func isFirst(_ pushes: inout Int) -> Bool {
    pushes += 1
    return pushes == 1
  }

  /// Checks what is wrong with this push.
  private mutating func audit(_ record: PushRecord, _ known: inout AuditedToken) {
    let now = record.at.world
    let device = record.address?.device
    let id = record.answer.id
    // A push within a second of the 410 may have been in flight already.
    if let since = known.deadSince, since.advanced(by: Self.patience) <= now {
      find(
        .deadToken, at: now, on: device, push: id,
        mistake: .init("A push to a token for which 410 was answered \(Self.ago(since, now))"))
    } else if let ended = known.endedAt {
      find(
        .updateAfterEnd, at: now, on: device, push: id,
        mistake: .init("A push to the update token of an activity whose end was delivered \(Self.ago(ended, now))"))
    }
    if let notBefore = known.notBefore, now < notBefore {
      find(
        .hastyRetry, at: now, on: device, push: id,
        mistake: .init("A push to a token within a second of a 429 or 5xx for it"))
    }
    if let since = known.refusedSince, since.advanced(by: Self.patience) <= now {
      find(
        .refusedToken, at: now, on: device, push: id,
        mistake: .init("A push to a token that was refused \(Self.ago(since, now)) as bad or as another app's"))
    }
    if let address = record.address, let told = activities.told(of: address), told.advanced(by: Self.patience) <= now {
      find(
        .pushAfterDismissal, at: now, on: device, push: id,
        mistake: .init("A push to an activity that a person has dismissed, as the app reported \(Self.ago(told, now))"))
    }
    if case .dropped(.staleTimestamp, _)? = record.firstFate.reaction { older(on: device, push: id, at: now) }
    judge(record.firstFate, on: device, push: id, at: now)
    watchPayload(record)
    watchReplaced(record)
    watchBackground(record)
    if record.answer.rejection == nil { watchHeaders(record) }
    watchBudget(record, &known)
    watchContent(record, &known)
    activities.pushed(record)
  }

  /// Updates what is known of the token.
  private mutating func track(_ record: PushRecord, token: UInt64, known: inout AuditedToken) {
    let now = record.at.world
    let status = record.answer.status
    switch record.answer.rejection?.reason {
    case .badDeviceToken, .deviceTokenNotForTopic: known.refusedSince = known.refusedSince ?? now
    default: if status == 200 { known.refusedSince = nil }
    }
    known.notBefore = Self.earliest(after: status, at: now)
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
      before.id == record.answer.id || (now < before.at.advanced(by: Self.sameWithin) && record.hasOwnContent)
    {
      find(
        .duplicate, at: now, on: record.address?.device, push: record.answer.id,
        mistake: before.id == record.answer.id
          ? .init("The phone received apns-id \(before.id.text) twice")
          : .init(
            "The phone received a payload again with another apns-id, \(Self.ago(before.at, now))",
            instead: "send each news once to a token, and keep the apns-id when you retry a push"))
    }
    known.delivered.append((payload, record.answer.id, now))
    if known.delivered.count > Self.mostDelivered { known.delivered.removeFirst() }
  }

  private static func rejection(_ record: PushRecord, isOlderThan registered: Instant?) -> Bool {
    guard let registered, let since = record.answer.rejection?.since else { return false }
    return since <= registered
  }

  /// Checks for valid tokens that were dropped after a 410 older than their registration.
  private mutating func watchThrownAway(_ record: PushRecord, _ token: UInt64) {
    if record.answer.status == 410, let address = record.address,
      Self.rejection(record, isOlderThan: registrations[token]?.began)
    {
      return thrownAway.suspect(token, of: address, record: record) { Self.payload($0) }
    }
    thrownAway.clear(token)
    guard record.answer.status == 200 else { return }
    let now = record.at.world
    for found in thrownAway.accepted(token, record, payload: { Self.payload($0) }) {
      find(
        .tokenThrownAway, at: now, on: found.address.device, push: found.push,
        mistake: .init(
          "No push to a valid token since a 410 \(Self.ago(found.at, now)) with a timestamp older than the token's"
            + " registration, while other tokens got pushes"))
    }
  }

  private mutating func older(on device: DeviceID?, push id: NotificationID?, at now: Instant) {
    find(
      .olderTimestamp, at: now, on: device, push: id,
      mistake: .init("An update, ignored silently, whose timestamp is not newer than that of an earlier one"))
  }

  private mutating func closed(_ id: ProviderConnectionID) {
    // A push that the admin API sends has a connection of its own, which is not the backend's.
    guard let pushes = connections.removeValue(forKey: id), pushes > 0, id.number < ProviderConnectionID.firstSimulated
    else { return }
    lonelyInARow = pushes == 1 ? lonelyInARow + 1 : 0
    guard lonelyInARow == Self.lonely else { return }
    lonelyInARow = 0
    find(
      .connectionPerPush, at: lastPush, on: nil, push: nil,
      mistake: .init("\(Self.lonely) connections in a row carried one push each"))
  }

  /// Records a mistake, and what the backend should have done instead.
  ///
  /// - Parameter mistake: what happened, as a sentence without its period.
  mutating func find(
    _ kind: AuditFinding.Kind, at: Instant, on device: DeviceID?, push: NotificationID?,
    mistake: AuditFinding.Mistake
  ) {
    total += 1
    let finding = AuditFinding(number: total, kind: kind, at: at, device: device, push: push, mistake: mistake)
    found.add(finding)
    if findings.count >= 2 * Self.mostFindings { findings.removeFirst(Self.mostFindings) }
    findings.append(finding)
  }
}
