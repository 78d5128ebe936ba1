import APNs

/// What decides about a push of another service.
package struct ServiceSurroundings: Hashable, Sendable {
  package var os: OSVersion
  /// The app has the entitlement for location pushes, and the user lets it locate the phone always.
  package var locatesAlways = true
  /// The app has joined a push-to-talk channel.
  package var isJoined = false

  package init(os: OSVersion) { self.os = os }
}

extension PushType {
  /// What the phone does; nil for the types that have rules of their own.
  package func serviceReaction(_ here: ServiceSurroundings) -> ServiceReaction? {
    switch self {
    case .alert, .background, .liveactivity, .voip: nil
    case .location: here.locatesAlways ? .extensionRuns : .needsPermission
    case .widgets: here.os < OSVersion(26, 0) ? .osTooOld : .reloadHint
    case .controls: here.os < OSVersion(18, 0) ? .osTooOld : .reloadHint
    case .pushtotalk: here.isJoined ? .reportsSpeaker : .needsJoin
    case .complication, .fileprovider, .mdm: .acceptedNoUI
    }
  }
}
