import Timeline
import WireFormats

/// A broadcast or management request during validation, with what has been read of it so far.
struct ChannelValidation {
  /// The part shared with pushes: the headers.
  let push: ParsedPush
  /// Number of the provider's key, once its token was read.
  var keyNumber: Int?
  let requestID: NotificationID?
  /// True if the path belongs to this interface; the operation also depends on the method.
  private let isPathKnown: Bool
  let operation: ChannelOperation?
  let home: ChannelOwner
  let channelID: ChannelID?
  private var isAllowed = false
  private(set) var status = ChannelStatus.unknown
  /// The body, if a channel is to be created.
  private(set) var order: CreateChannelRequest?

  init(
    _ request: HTTPRequest, _ operations: [ChannelOperation], in environment: Environment,
    listsAtBothPaths: Bool = false
  ) {
    let storage = request.storage
    let bytes = storage.span
    push = ParsedPush(request, in: environment)
    let headers = push.headers
    requestID = headers.requestID.flatMap { NotificationID(bytes, $0) }
    channelID = headers.channelID.flatMap { ChannelID(bytes, $0) }
    let path = ChannelPath(request)
    let form = path?.form
    let candidates = operations.filter { $0.form == form }
    let method = request.lastValue(of: ":method") ?? 0..<0
    isPathKnown = !candidates.isEmpty
    let asked = candidates.first { bytes.holds(method, $0.method) }
    operation = asked == .read && headers.channelID == nil && listsAtBothPaths ? ChannelOperation.list : asked
    home = ChannelOwner(environment, path.map { bytes.text($0.bundleID) } ?? "")
  }

  /// Called when the provider is known: looks up the app and the channel, and reads the body.
  ///
  /// - Parameter isAllowed: whether the provider may manage the app's channels.
  mutating func resolve(isAllowed: Bool, _ channels: ChannelRegistry) {
    self.isAllowed = isAllowed
    if let channelID { status = channels.status(of: channelID, in: home) }
    if operation == .create, holdsPayloadSize { order = CreateChannelRequest(push.request) }
  }

  func holds(_ rule: ChannelRule, rulebook: ChannelRulebook, channels: ChannelRegistry) -> Bool {
    let headers = push.headers
    return switch rule {
    case .noDuplicateHeaders: !headers.hasDuplicate
    case .knownPath: isPathKnown
    case .knownMethod: operation != nil
    case .bareBundleID: Topic(home.bundleID).map { $0.suffix == .none } ?? true
    case .appOfTeam: isAllowed
    case .broadcastEnabled: !rulebook.disabled.contains(home.bundleID)
    case .requestID:
      (headers.requestID == nil || requestID != nil) && (headers.id == nil || push.id != nil)
    case .channelPresent: headers.channelID.map { !$0.isEmpty } ?? false
    case .channelWellFormed: channelID != nil
    case .channelIssued: status != .unknown
    case .channelRegistered, .channelFound: status.channel != nil
    case .expirationPresent: push.expiration != nil
    case .expirationOfUnstored:
      status.channel?.policy != StoragePolicy.none || push.expiration?.nanoseconds == 0
    case .priority:
      push.requestedPriority != nil || (headers.priority == nil && !rulebook.priorityRequired)
    case .payloadPresent: push.request.bodyCount > 0
    case .payloadSize: holdsPayloadSize
    // Counted by the registry, and checked by the world, once everything else holds.
    case .broadcastRate, .roomForBroadcast: true
    case .payloadReadable: order?.isReadable ?? false
    case .attributesKnown: order?.isKnown ?? false
    case .storagePolicy: order?.policy != nil
    case .pushTypePresent: pushType.map { !$0.isEmpty } ?? false
    case .pushTypeKnown: pushType?.lowercased() == PushType.liveactivity.rawValue
    case .roomForChannel: channels.hasRoom(in: home)
    }
  }

  private var holdsPayloadSize: Bool { push.request.bodyCount <= BroadcastRequest.payloadLimit }

  /// As written: in the body for a new channel, in a header otherwise.
  private var pushType: String? {
    if operation == .create { return order?.pushType }
    let storage = push.request.storage
    return push.headers.pushType.map { storage.span.text($0) }
  }

  /// The checked request, once a broadcast has passed every rule.
  var broadcast: BroadcastRequest? {
    guard let channel = status.channel, let expiration = push.expiration else { return nil }
    return BroadcastRequest(
      home: home, channel: channel, priority: push.priority, expiration: expiration,
      payload: push.payloadRange)
  }
}
