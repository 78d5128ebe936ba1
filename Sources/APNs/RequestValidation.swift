import Timeline
import WireFormats

/// One request during validation, with what has been read of it so far.
struct RequestValidation {
  struct Provider {
    let keyNumber: Int
    let validity: ProviderTokenValidity
  }

  let push: ExaminedPush
  /// The range of the provider token, once it has been found.
  var providerText: Range<Int>?
  var presented: ProviderToken?
  /// The provider, once the token's signature is verified.
  var provider: Provider?
  /// Whether the same token was accepted before on this connection, or the connection has a certificate.
  var isPassedBefore = false
  /// The provider is known by its certificate.
  private(set) var isCertified = false
  /// The certificate has exactly one topic, which applies if the request names none.
  private var hasOnlyTopic = false
  /// The push is answered 200 and then dropped, as some report of Live Activities sent with a certificate.
  private(set) var isDropped = false

  private(set) var topic: Topic?
  private(set) var topicIsAllowed = false
  /// Whether the topic was read before the provider was known, so its permission is still unchecked.
  private var topicAwaitsProvider = false
  private(set) var status: TokenStatus?

  init(_ push: ExaminedPush) { self.push = push }

  /// Checks a rule that needs nothing but the request.
  ///
  /// `mutating` so that `self` is passed by reference: this runs a dozen times for every push, and a copy is expensive.
  @inline(__always)
  mutating func holds(_ rule: Rule) -> Bool {
    switch rule {
    case .noDuplicateHeaders: !push.headers.hasDuplicate
    case .knownPath: if case .device = push.headers.path { true } else { false }
    case .methodIsPost: push.headers.isPost
    case .topicPresent: namesTopic || hasOnlyTopic
    case .messageID: push.headers.id == nil || push.id != nil
    case .pushTypeKnown: push.headers.pushType == nil || push.type != nil
    case .topicSuffixMatchesPushType: push.hasType(for: topic)
    case .expiration: push.headers.expiration == nil || push.expiration != nil
    case .deviceTokenPresent: if case .device(let token) = push.headers.path { !token.isEmpty } else { true }
    case .payloadPresent: push.request.bodyCount > 0
    case .payloadSize: push.request.bodyCount <= (push.type?.payloadLimit ?? 4096)
    default: true
    }
  }

  /// Checks the age of a provider token that was accepted before on this connection; nothing else is left to check.
  mutating func isTimely(_ rule: Rule, _ wall: Instant) -> Bool {
    guard let provider else { return true }
    switch rule {
    case .providerTokenNotFromFuture: return provider.validity.from <= wall
    case .providerTokenFresh: return provider.validity.to >= wall
    default: return true
    }
  }

  /// The range of the provider token in `authorization`; nil if the header has none.
  ///
  /// Documented: `bearer <jwt>`. Observed: senders write the scheme in upper and lower case.
  private mutating func findProviderText(_ bytes: Span<UInt8>) -> Range<Int>? {
    guard let value = push.headers.authorization, value.count > 7 else { return nil }
    let scheme: StaticString = "bearer "
    for index in 0..<7 where bytes[value.lowerBound + index] | 0x20 != scheme.utf8Start[index] { return nil }
    var start = value.lowerBound + 7
    while start < value.upperBound, bytes[start] == 0x20 { start += 1 }
    return start < value.upperBound ? start..<value.upperBound : nil
  }

  /// Finds the provider token, and compares it with the last one accepted on the connection in this epoch.
  mutating func recognise(on connection: ProviderConnection, in epoch: UInt64) {
    if let certified = connection.certified {
      isCertified = true
      isPassedBefore = true
      hasOnlyTopic = certified.onlyTopic != nil
      return
    }
    guard providerText == nil else { return }
    let storage = push.request.storage
    let bytes = storage.span
    guard let text = findProviderText(bytes) else { return }
    providerText = text
    if let passed = connection.passed, passed.epoch == epoch, bytes.holds(text, passed.text.span) {
      provider = .init(keyNumber: passed.keyNumber, validity: passed.validity)
      isPassedBefore = true
    }
  }

  /// Reads the topic and checks that the provider may use it. A connection's last topic is remembered.
  mutating func resolveTopic(_ connection: inout ProviderConnection, _ keyRing: KeyRing) {
    if isCertified, let certified = connection.certified { return resolveTopic(of: certified) }
    guard topic == nil || (topicAwaitsProvider && provider != nil), let range = push.headers.topic else { return }
    let storage = push.request.storage
    let bytes = storage.span
    guard let provider else {
      // Only if a setting puts the topic before the provider: the permission cannot be checked yet.
      topic = Topic(bytes.text(range))
      topicIsAllowed = true
      topicAwaitsProvider = true
      return
    }
    topicAwaitsProvider = false
    if let known = connection.resolved, known.keyNumber == provider.keyNumber, bytes.holds(range, known.text.span) {
      topic = known.topic
      topicIsAllowed = known.isAllowed
      return
    }
    guard let read = Topic(bytes.text(range)) else { return }
    topic = read
    topicIsAllowed = keyRing.allows(key: provider.keyNumber, bundleID: read.bundleID)
    connection.resolved = .init(
      text: bytes.copy(range), keyNumber: provider.keyNumber, topic: read, isAllowed: topicIsAllowed)
  }

  private var namesTopic: Bool { push.headers.topic.map { !$0.isEmpty } ?? false }

  /// A provider with a certificate may send only to the certificate's topics.
  private mutating func resolveTopic(of certified: CertifiedProvider) {
    guard topic == nil else { return }
    guard namesTopic, let range = push.headers.topic else {
      topic = certified.onlyTopic
      topicIsAllowed = topic != nil
      return
    }
    let storage = push.request.storage
    let bytes = storage.span
    if let known = certified.topic(bytes, range) {
      topic = known
      topicIsAllowed = true
      return
    }
    topic = Topic(bytes.text(range))
    isDropped = topic.map { certified.drops($0) } ?? false
    topicIsAllowed = isDropped
  }

  /// Looks up the device token, once.
  mutating func status<Directory: TokenDirectory>(
    in environment: Environment, _ directory: Directory, _ now: Instant
  ) -> TokenStatus {
    if let status { return status }
    var found = TokenStatus.unknown
    if let token = push.deviceToken {
      found = directory.status(of: token, in: environment, at: now)
    }
    status = found
    return found
  }

  /// Sets the token's status if it is known already.
  mutating func found(_ status: TokenStatus) { self.status = status }

  /// The checked push, once it has passed every rule.
  mutating func proof() -> PushRequest? {
    guard topic != nil, let status else { return nil }
    return PushRequest(status, isDropped: isDropped)
  }
}
