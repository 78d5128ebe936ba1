import WireFormats

/// The rules about the request line and the fields, in the order in which APNs checks them (`Rule`).
extension ParsedPush {
  /// The first rule about the request line that is broken.
  @inline(__always)
  var brokenRequestLine: Rule? {
    guard !headers.hasDuplicate else { return .noDuplicateHeaders }
    guard case .device = headers.path else { return .knownPath }
    guard headers.isPost else { return .methodIsPost }
    return nil
  }

  /// The first rule about fields or body that is broken.
  ///
  /// - Parameter topic: what the provider may do with the topic.
  @inline(__always)
  func brokenField(_ topic: borrowing TopicPermission, strict: Bool) -> Rule? {
    guard topic.isPresent else { return .topicPresent }
    guard topic.topic != nil else { return .topicWellFormed }
    guard topic.isAllowed else { return .topicAllowed }
    guard headers.id == nil || id != nil else { return .messageID }
    guard headers.pushType == nil || type != nil else { return .pushTypeKnown }
    guard hasPriority(strict: strict) else { return .priority }
    guard headers.expiration == nil || expiration != nil else { return .expiration }
    guard hasCollapseID(strict: strict) else { return .collapseID }
    guard case .device(let token) = headers.path, !token.isEmpty else { return .deviceTokenPresent }
    guard request.bodyCount > 0 else { return .payloadPresent }
    guard request.bodyCount <= (type?.payloadLimit ?? 4096) else { return .payloadSize }
    return nil
  }

  /// The range of the provider token in `authorization`; nil if the header has none.
  ///
  /// Documented: `bearer <jwt>`. Observed: senders write the scheme in upper and lower case.
  var providerTokenRange: Range<Int>? {
    guard let value = headers.authorization, value.count > 7 else { return nil }
    let storage = request.storage
    let bytes = storage.span
    let scheme: StaticString = "bearer "
    for index in 0..<7 where bytes[value.lowerBound + index] | 0x20 != scheme.utf8Start[index] { return nil }
    var start = value.lowerBound + 7
    while start < value.upperBound, bytes[start] == 0x20 { start += 1 }
    return start < value.upperBound ? start..<value.upperBound : nil
  }
}

/// The topic of a push, and what its provider may do with it.
struct TopicPermission {
  /// True if the push names a topic, or the provider's certificate has only one.
  var isPresent = true
  /// Nil if it is not well-formed.
  var topic: Topic?
  var isAllowed = false
  /// The push returns 200 and is then dropped, as some report of Live Activities sent with a certificate.
  var isDropped = false
}
