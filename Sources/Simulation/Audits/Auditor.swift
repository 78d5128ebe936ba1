import APNs
import Devices
import Timeline
import WireFormats

/// Watches a whole run for what a backend must not do. A reader of events like all the others.
package struct Auditor: Sendable {
  /// What is remembered of a token.
  private struct Known: Sendable {
    var deadSince: Instant?
    var endedAt: Instant?
    /// Pushes to it are too early before then.
    var notBefore: Instant?
    /// The last deliveries: what was in them, and when.
    var delivered: [(payload: UInt64, id: NotificationID, at: Instant)] = []
  }

  /// Findings that are kept; `total` counts all.
  private static let most = 1000
  private static let mostTokens = 200_000
  /// Deliveries of one token that are compared.
  private static let mostDelivered = 8
  /// A same payload that comes again within it is taken for the same push. Assumed.
  private static let sameWithin: Duration = .seconds(60)
  /// Documented: no sooner than this is a provider token renewed.
  private static let tokenAge: Duration = .seconds(20 * 60)
  /// Assumed: a retry within a second has not waited.
  private static let patience: Duration = .seconds(1)
  /// So many connections in a row, each with one push, are a habit.
  private static let lonely = 10

  package private(set) var findings: [Finding] = []
  package private(set) var total: UInt64 = 0
  private var counts: [Finding.Kind: UInt64] = [:]
  private var tokens: [UInt64: Known] = [:]
  private var connections: [ConnectionID: Int] = [:]
  private var lonelyInARow = 0
  private var lastPush = Instant.distantPast
  /// By key: the provider token in use, and since when.
  private var providers: [Int: (token: UInt64, since: Instant)] = [:]

  package init() {}

  package func count(_ kind: Finding.Kind) -> UInt64 { counts[kind] ?? 0 }

  mutating func read(_ event: Event) {
    switch event {
    case .connectionOpened(let id, _, _): connections[id] = 0
    case .connectionClosed(let id): closed(id)
    case .push(let record): read(record)
    case .pushSettled(_, let device, let fate, let at):
      if case .dropped(.staleTimestamp, _)? = fate.reaction { older(device, nil, at) }
    default: break
    }
  }

  private mutating func read(_ record: PushRecord) {
    // A session's auditor hears of a connection by the first push of the session that comes on it.
    connections[record.stream.connection, default: 0] += 1
    lastPush = record.at.world
    let (token, authorization) = Self.marks(of: record.request)
    watchProvider(record, authorization)
    if tokens.count >= Self.mostTokens, tokens[token] == nil { tokens.removeAll(keepingCapacity: true) }
    var known = tokens[token] ?? Known()
    judge(record, &known)
    note(record, &known)
    tokens[token] = known
  }

  /// What this push should not have been.
  private mutating func judge(_ record: PushRecord, _ known: inout Known) {
    let now = record.at.world
    let device = record.address?.device
    let id = record.answer.id
    if let since = known.deadSince {
      find(
        .deadToken, now, device, id,
        "A push to a token for which 410 had been answered \(Self.ago(since, now)); delete tokens after a 410 whose"
          + " timestamp is not older than their registration.")
    } else if let ended = known.endedAt {
      find(
        .updateAfterEnd, now, device, id,
        "A push to the update token of an activity that an end had been delivered to \(Self.ago(ended, now)).")
    }
    if let notBefore = known.notBefore, now < notBefore {
      find(
        .hastyRetry, now, device, id,
        "A push to a token within a second of a 429 or 5xx for it; wait, longer each time, and as Retry-After says.")
    }
    if case .dropped(.staleTimestamp, _)? = record.firstFate.reaction { older(device, id, now) }
  }

  /// What is to be known of the token from now on.
  private mutating func note(_ record: PushRecord, _ known: inout Known) {
    let now = record.at.world
    let status = record.answer.status
    known.notBefore = status == 429 || status >= 500 ? now.advanced(by: Self.patience) : nil
    if status == 410 { known.deadSince = known.deadSince ?? now }
    guard status == 200 else { return }
    known.deadSince = nil
    guard let reaction = record.firstFate.reaction else { return }
    if case .ended = reaction { known.endedAt = now }
    // Live Activities have their timestamp against a push that comes twice.
    guard record.address?.slot.isLiveActivity != true else { return }
    let storage = record.request.storage
    let payload = Self.hash(storage.span, record.request.bodyStart..<storage.count)
    if let before = known.delivered.first(where: { $0.id == record.answer.id || $0.payload == payload }),
      before.id == record.answer.id || now < before.at.advanced(by: Self.sameWithin)
    {
      find(
        .duplicate, now, record.address?.device, record.answer.id,
        before.id == record.answer.id
          ? "The phone got apns-id \(before.id.text) a second time."
          : "The phone got a payload a second time under another apns-id, \(Self.ago(before.at, now)); keep the apns-id"
            + " when a push is tried again.")
    }
    known.delivered.append((payload, record.answer.id, now))
    if known.delivered.count > Self.mostDelivered { known.delivered.removeFirst() }
  }

  private mutating func watchProvider(_ record: PushRecord, _ authorization: UInt64?) {
    guard let key = record.keyNumber, let token = authorization else { return }
    let now = record.at.wall
    guard let present = providers[key] else { return providers[key] = (token, now) }
    guard present.token != token else { return }
    if now < present.since.advanced(by: Self.tokenAge) {
      find(
        .providerTokenRenewed, record.at.world, nil, record.answer.id,
        "A new provider token though the last was first used \(Self.ago(present.since, now)); keep one for 20 to 60"
          + " minutes, for all workers.")
    }
    providers[key] = (token, now)
  }

  private mutating func older(_ device: DeviceID?, _ id: NotificationID?, _ now: Instant) {
    find(
      .olderTimestamp, now, device, id,
      "An update whose timestamp is not newer than one the activity had; the phone ignored it in silence.")
  }

  private mutating func closed(_ id: ConnectionID) {
    guard let pushes = connections.removeValue(forKey: id), pushes > 0 else { return }
    lonelyInARow = pushes == 1 ? lonelyInARow + 1 : 0
    guard lonelyInARow == Self.lonely else { return }
    lonelyInARow = 0
    find(
      .connectionPerPush, lastPush, nil, nil,
      "\(Self.lonely) connections in a row carried one push each; keep them open and use them again.")
  }

  private mutating func find(
    _ kind: Finding.Kind, _ at: Instant, _ device: DeviceID?, _ push: NotificationID?, _ sentence: String
  ) {
    total += 1
    counts[kind, default: 0] += 1
    if findings.count >= 2 * Self.most { findings.removeFirst(Self.most) }
    findings.append(Finding(number: total, kind: kind, at: at, device: device, push: push, sentence: sentence))
  }

  private static func ago(_ then: Instant, _ now: Instant) -> String {
    "\(DurationText.write(then.duration(to: now))) before"
  }

  /// Path and provider token, each by its hash: every push is looked at, so no text is made of them.
  private static func marks(of request: HTTPRequest) -> (path: UInt64, authorization: UInt64?) {
    let storage = request.storage
    let bytes = storage.span
    var path: UInt64 = 0
    var authorization: UInt64?
    var cursor = HTTPFieldCursor()
    while let field = cursor.next(in: bytes, end: request.bodyStart) {
      if bytes.holds(field.name, ":path") {
        path = hash(bytes, field.value)
      } else if bytes.holds(field.name, "authorization"), authorization == nil {
        authorization = hash(bytes, field.value)
      }
    }
    return (path, authorization)
  }

  /// Nobody is kept out by it, so its key may be known.
  private static let digest = KeyedHash(0x6175_6469_74, 0x6F72)

  private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 { digest.hash(bytes, range).0 }
}
