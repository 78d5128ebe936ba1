extension ChannelRule {
  /// What the rule demands, in a sentence a backend developer understands.
  package var sentence: String {
    switch self {
    case .noDuplicateHeaders: "A channel request may repeat no apns-* header and no authorization header."
    case .knownPath:
      "A broadcast goes to /4/broadcasts/apps/<bundle id>; channels are managed on ports of their own, at"
        + " /1/apps/<bundle id>/channels and /1/apps/<bundle id>/all-channels."
    case .knownMethod:
      "Broadcasts and new channels take POST, reading a channel or all of them GET, deleting one DELETE."
    case .bareBundleID: "The path names the bundle id without the suffix of a push type."
    case .appOfTeam:
      "The app in the path must belong to the key's team, and to the key's topics where it names some."
    case .broadcastEnabled: "The app's broadcast capability must be turned on."
    case .requestID: "apns-request-id, and apns-id where it is sent, must be UUIDs in their canonical form 8-4-4-4-12."
    case .channelPresent: "The request needs the header apns-channel-id."
    case .channelWellFormed: "apns-channel-id must be the 24 characters of base64 that making the channel answered."
    case .channelIssued: "The channel must be one that was made for this app in this environment."
    case .channelRegistered: "The channel must not have been deleted."
    case .channelFound: "Only a channel that exists can be deleted, and only once."
    case .expirationPresent: "A broadcast needs apns-expiration: a whole number of seconds since 1970, or 0."
    case .expirationOfUnstored: "On a channel that stores no message apns-expiration must be 0."
    case .priority: "A broadcast needs apns-priority, which is 10, 5 or 1."
    case .payloadPresent: "A broadcast, and a request for a new channel, needs a body."
    case .payloadSize: "The body of a broadcast has at most 5,120 bytes."
    case .payloadReadable: "The body of a request for a new channel is one JSON object."
    case .attributesKnown: "A new channel has the members message-storage-policy and push-type, no others."
    case .storagePolicy:
      "A new channel's message-storage-policy must be the number 0 (none stored) or 1 (most recent one stored)."
    case .pushTypePresent: "A broadcast needs the header apns-push-type, a new channel the member push-type."
    case .pushTypeKnown: "The push type of broadcasts and channels is LiveActivity."
    case .roomForChannel: "An app has at most 10,000 channels in each environment."
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
    case .knownPath: .documented(errors + "; that each host knows its own paths only is assumed")
    case .knownMethod: .documented(errors + "; Apple gives wrong methods both 404 and 405, 405 is our choice")
    case .bareBundleID, .channelPresent, .pushTypePresent: .documented(errors)
    case .appOfTeam: .documented(errors + "; that a key's topics count too is assumed")
    case .broadcastEnabled: .observed(probe + " and four more projects; Apple's page says FeatureNotEnabled")
    case .requestID: .documented(broadcasts + "; the reason for apns-request-id is assumed")
    case .channelWellFormed: .documented(errors + "; the length is observed and not promised")
    case .channelIssued: .observed(probe)
    case .channelRegistered: .observed(probe + "; assumed for reading a channel")
    case .channelFound: .observed(probe)
    case .expirationPresent: .observed(probe + "; Apple says the header is required")
    case .expirationOfUnstored: .documented(errors + "; one developer noted the opposite")
    case .priority: .documented(broadcasts + "; that leaving it out is BadPriority is assumed, a setting allows it")
    case .payloadPresent: .documented(errors)
    case .payloadSize: .documented(broadcasts + "; assumed for the body of a request for a new channel")
    case .payloadReadable, .attributesKnown: .documented(errors)
    case .storagePolicy: .observed("hapns; Apple documents no reason for it")
    case .pushTypeKnown: .documented(errors + "; Apple writes it in two ways, so its case is not looked at")
    case .roomForChannel: .documented(management)
    }
  }
}
