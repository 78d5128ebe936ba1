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
      "The app in the path must belong to the key's team, and to the key's topics if the key is limited to topics."
    case .broadcastEnabled: "The app's broadcast capability must be turned on."
    case .requestID: "apns-request-id, and apns-id if it is sent, must be UUIDs in their canonical form 8-4-4-4-12."
    case .channelPresent: "The request needs the header apns-channel-id."
    case .channelWellFormed: "apns-channel-id must be the 24 base64 characters returned when the channel was created."
    case .channelIssued: "The channel must have been created for this app in this environment."
    case .channelRegistered: "The channel must not have been deleted."
    case .channelFound: "A channel can be deleted only while it exists."
    case .expirationPresent: "A broadcast needs apns-expiration: a whole number of seconds since 1970, or 0."
    case .expirationOfUnstored: "On a channel without message storage, apns-expiration must be 0."
    case .priority: "A broadcast needs apns-priority 10, 5 or 1."
    case .payloadPresent: "A broadcast and a request for a new channel need a body."
    case .payloadSize: "The body of a broadcast must be at most 5,120 bytes long."
    case .broadcastRate: "A channel accepts a limited number of broadcasts a second."
    case .payloadReadable: "The body of a request for a new channel must be one JSON object."
    case .attributesKnown: "A new channel may only have the members message-storage-policy and push-type."
    case .storagePolicy:
      "A new channel's message-storage-policy must be the number 0 (none stored) or 1 (most recent one stored)."
    case .pushTypePresent: "A broadcast needs the header apns-push-type, a new channel the member push-type."
    case .pushTypeKnown: "The push type of broadcasts and channels must be LiveActivity."
    case .roomForChannel: "An app can have at most 10,000 channels in each environment."
    }
  }

  package var evidence: Evidence { source.told(in: "channels.md#\(rawValue.lowercased())") }

  private var source: Evidence {
    let errors = "Apple, Handling error responses from APNs"
    let broadcasts = "Apple, Sending broadcast push notification requests to APNs"
    let management = "Apple, Sending channel management requests to APNs"
    let probe = "a sandbox probe of 2026-09-24 (Station push gateway)"
    return switch self {
    case .noDuplicateHeaders: .assumed("as for a push; Apple's table for broadcasts does not name DuplicateHeaders")
    case .knownPath: .documented(errors + "; assumed: each host knows only its own paths")
    case .knownMethod: .documented(errors + "; for wrong methods Apple documents both 404 and 405; we chose 405")
    case .bareBundleID, .channelPresent, .pushTypePresent: .documented(errors)
    case .appOfTeam: .documented(errors + "; assumed: a key's topics apply too")
    case .broadcastEnabled: .observed(probe + " and four more projects; Apple's page says FeatureNotEnabled")
    case .requestID: .documented(broadcasts + "; assumed: the reason for apns-request-id")
    case .channelWellFormed: .documented(errors + "; the length is observed, not documented")
    case .channelIssued: .observed(probe)
    case .channelRegistered: .observed(probe + "; assumed for reading a channel")
    case .channelFound: .observed(probe)
    case .expirationPresent: .observed(probe + "; Apple says the header is required")
    case .expirationOfUnstored: .documented(errors + "; one developer noted the opposite")
    case .priority: .documented(broadcasts + "; assumed: a missing header is BadPriority; a setting allows it")
    case .payloadPresent: .documented(errors)
    case .payloadSize: .documented(broadcasts + "; assumed for the body of a request for a new channel")
    case .broadcastRate: .documented(errors + "; the limits are not published, so there is none unless set")
    case .payloadReadable, .attributesKnown: .documented(errors)
    case .storagePolicy:
      .disputed(
        "hapns saw this reason, which Apple does not document; a string of the number may pass, as node-apn's"
          + " README has it")
    case .pushTypeKnown: .documented(errors + "; Apple spells it in two ways, so case is ignored")
    case .roomForChannel: .documented(management)
    }
  }
}
