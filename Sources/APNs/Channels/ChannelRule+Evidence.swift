import WireFormats

extension ChannelRule {
  /// The rule's requirement, as a sentence for backend developers.
  package var sentence: String {
    switch self {
    case .noDuplicateHeaders: "A channel request must not repeat apns-* headers or the authorization header."
    case .knownPath:
      "A broadcast goes to /4/broadcasts/apps/<bundle id>; channels are managed on separate ports, at"
        + " /1/apps/<bundle id>/channels and /1/apps/<bundle id>/all-channels."
    case .knownMethod:
      "Broadcasts and creating channels use POST; reading one channel or all uses GET; deleting uses DELETE."
    case .bareBundleID: "The path must contain the bundle id without a push type suffix."
    case .appOfTeam:
      "The app in the path must be of the provider: of the key's team and topics, or the app of the certificate."
    case .broadcastEnabled: "The app's broadcast capability must be turned on."
    case .requestID: "apns-request-id, and apns-id if it is sent, must be UUIDs in their canonical form 8-4-4-4-12."
    case .channelPresent: "The request needs the header apns-channel-id."
    case .channelWellFormed: "apns-channel-id must be the 24 base64 characters returned when the channel was created."
    case .channelIssued: "The channel must have been created for this app in this environment."
    case .channelRegistered: "The app must have a channel with that id, in this environment, that was not deleted."
    case .channelFound: "A channel can be deleted only while it exists."
    case .expirationPresent: "A broadcast needs apns-expiration: a whole number of seconds since 1970, or 0."
    case .expirationOfUnstored: "On a channel without message storage, apns-expiration must be 0."
    case .priority: "A broadcast needs apns-priority 10, 5 or 1."
    case .payloadPresent: "A broadcast and a request for a new channel need a body."
    case .payloadSize: "The body of a broadcast must be at most 5,120 bytes long."
    case .broadcastRate: "A channel accepts a limited number of broadcasts; send the newest state again later."
    case .payloadReadable: "The body of a request for a new channel must be one JSON object."
    case .attributesKnown: "A new channel may only have the members message-storage-policy and push-type."
    case .storagePolicy:
      "A new channel's message-storage-policy must be the number 0 (none stored) or 1 (most recent one stored)."
    case .pushTypePresent: "A broadcast needs the header apns-push-type, a new channel the member push-type."
    case .pushTypeKnown: "The push type of broadcasts and channels must be LiveActivity."
    case .roomForChannel: "An app can have at most 10,000 channels in each environment."
    case .roomForBroadcast:
      "1,000 broadcasts are on their way to phones; this server accepts no other until one of them has arrived."
    }
  }

  /// Evidence for the rule; a `Circumstance` may have different evidence.
  package var evidence: Evidence { source.told(in: section) }

  private var section: String { "channels.md#\(rawValue.lowercased())" }

  private var source: Evidence {
    let errors = "Apple, Handling error responses from APNs"
    let broadcasts = "Apple, Sending broadcast push notification requests to APNs"
    let management = "Apple, Sending channel management requests to APNs"
    let probe = "a sandbox probe of 2026-09-24 (Station push gateway)"
    return switch self {
    case .noDuplicateHeaders: .assumed("as for a push; Apple's table for broadcasts does not name DuplicateHeaders")
    case .knownPath: .documented(management + "; assumed: each host knows only its own paths")
    case .knownMethod: .disputed("Apple gives wrong methods both 404 and 405; we chose 405")
    case .bareBundleID, .channelPresent, .pushTypePresent: .documented(errors)
    case .appOfTeam: .documented(errors + "; assumed: a key's topics apply too")
    case .broadcastEnabled: .observed(probe + " and four more projects; Apple's page says FeatureNotEnabled")
    case .requestID: .documented(broadcasts)
    case .channelWellFormed: .observed("the length of all ids that were published; Apple says that it may be any")
    case .channelIssued: .disputed(probe + "; Apple gives ChannelNotRegistered to an id that doesn't exist")
    case .channelRegistered: .documented(errors + "; observed for a broadcast")
    case .channelFound: .disputed(probe + "; Apple gives ChannelNotRegistered to an id that doesn't exist")
    case .expirationPresent: .observed(probe + "; Apple says the header is required")
    case .expirationOfUnstored: .documented(broadcasts + "; one developer noted the opposite")
    case .priority: .documented(broadcasts)
    case .payloadPresent: .documented(errors)
    case .payloadSize: .documented(broadcasts)
    case .broadcastRate: .documented(errors + "; the limits are not published, so a setting names them")
    case .payloadReadable, .attributesKnown: .documented(errors)
    case .storagePolicy: .observed("hapns saw this reason, which Apple does not document")
    case .pushTypeKnown: .documented(broadcasts + "; Apple spells it in two ways, so case is ignored")
    case .roomForChannel: .documented(management)
    case .roomForBroadcast: .assumed("a limit of this program; those of Apple are not published")
    }
  }

  /// A property of a rejected request for which the evidence differs from that of the rule.
  package enum Circumstance: CaseIterable, Hashable, Sendable {
    case missingPriority
    case sizeOfNewChannel
    case policyAsText

    package var rule: ChannelRule {
      switch self {
      case .missingPriority: .priority
      case .sizeOfNewChannel: .payloadSize
      case .policyAsText: .storagePolicy
      }
    }

    package var evidence: Evidence { source.told(in: rule.section) }

    private var source: Evidence {
      switch self {
      case .missingPriority: .assumed("the reason; Apple documents that the header is required, a setting allows it")
      case .sizeOfNewChannel: .assumed("the limit of a broadcast")
      case .policyAsText: .disputed("the README of node-apn has the number as a string; Apple's answer is not known")
      }
    }
  }

  /// The circumstance of a request that this rule rejected; nil if the evidence of the rule holds.
  fileprivate func circumstance(of request: HTTPRequest, _ operation: ChannelOperation?) -> Circumstance? {
    switch self {
    case .priority: request.lastValue(of: "apns-priority") == nil ? .missingPriority : nil
    case .payloadSize: operation == .create ? .sizeOfNewChannel : nil
    case .storagePolicy: CreateChannelRequest(request).hasPolicyAsText ? .policyAsText : nil
    default: nil
    }
  }
}

extension BrokenRule {
  /// Evidence that APNs rejects this request.
  package func evidence(of request: HTTPRequest, _ operation: ChannelOperation?) -> Evidence {
    switch self {
    case .provider(let rule): rule.evidence
    case .channel(let rule): rule.circumstance(of: request, operation)?.evidence ?? rule.evidence
    }
  }
}
