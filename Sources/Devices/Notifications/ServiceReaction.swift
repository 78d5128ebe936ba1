import APNs
import WireFormats

/// The reaction of a phone to a push of another service; none of them shows anything by itself.
package enum ServiceReaction: String, CaseIterable, Hashable, Sendable {
  case osTooOld = "os-too-old"
  case extensionRuns = "extension-runs"
  case reloadHint = "reload-hint"
  case needsJoin = "channel-not-joined"
  case reportsSpeaker = "reports-speaker"
  case acceptedNoUI = "accepted-no-ui"
  case noPushMagic = "no-push-magic"
  case noContentChange = "content-changed-missing"
  case noContainer = "container-identifier-missing"

  /// The body did not ask for what the push type says, so nothing happened.
  package var isForBody: Bool { self == .noPushMagic || self == .noContentChange || self == .noContainer }

  package var sentence: String {
    switch self {
    case .osTooOld: "this version of iOS does not know the service"
    case .extensionRuns: "the location push service extension runs for about 30 s"
    case .reloadHint: "iOS reloads when it finds the time; there is no published quota"
    case .needsJoin: "the app has not joined a push-to-talk channel"
    case .reportsSpeaker: "the app is launched and must say who speaks, or leave the channel"
    case .acceptedNoUI: "the phone takes it and shows nothing"
    case .noContentChange: "nothing reloads, because aps.content-changed is not true"
    case .noContainer: "nothing is signaled, because container-identifier is missing; a file provider needs it"
    case .noPushMagic: "the phone ignores a device management push whose body is not {\"mdm\":\"<PushMagic>\"}"
    }
  }

  package var evidence: Evidence { source.told(in: "other-pushes.md#\(rawValue)") }

  private var source: Evidence {
    switch self {
    case .osTooOld:
      .documented("Apple, Updating widgets with WidgetKit push notifications: controls from iOS 18, widgets from 26")
    case .extensionRuns: .documented("Apple, Creating a location push service extension")
    case .reloadHint: .documented("Apple, Updating widgets with WidgetKit push notifications")
    case .needsJoin, .reportsSpeaker: .documented("Apple, Creating a Push to Talk app")
    case .acceptedNoUI: .assumed("complication, file provider and device management pushes are not simulated further")
    case .noContentChange:
      .assumed("another body reloads nothing; Apple documents the body")
    case .noContainer:
      .assumed("another body signals nothing; Apple documents the body")
    case .noPushMagic: .assumed("the behavior of the phone was not observed")
    }
  }
}

/// The state of a phone on which the reaction to a push of another service depends.
package struct ServiceContext: Hashable, Sendable {
  package var os: OSVersion
  /// True if the app has joined a push-to-talk channel.
  package var isJoined = false

  package init(os: OSVersion) { self.os = os }
}

extension PushType {
  /// False for types with their own rules.
  var isOfService: Bool {
    switch self {
    case .alert, .background, .liveactivity, .voip: false
    case .location, .widgets, .controls, .pushtotalk, .complication, .fileprovider, .mdm: true
    }
  }

  /// The phone's reaction to a push of a service; nil for types with their own rules.
  ///
  /// Documented: the bodies for widgets, controls, file providers and device management. Assumed: an app reads the
  /// bodies of the other services itself, so any object will do.
  package func serviceReaction(_ here: ServiceContext, _ body: JSONNode) -> ServiceReaction? {
    switch self {
    case .alert, .background, .liveactivity, .voip: nil
    case .location: .extensionRuns
    case .widgets: here.os < OSVersion(26, 0) ? .osTooOld : Self.reload(body)
    case .controls: here.os < OSVersion(18, 0) ? .osTooOld : Self.reload(body)
    case .pushtotalk: here.isJoined ? .reportsSpeaker : .needsJoin
    case .fileprovider: body["container-identifier"]?.string == nil ? .noContainer : .acceptedNoUI
    case .mdm: body["mdm"]?.string == nil ? .noPushMagic : .acceptedNoUI
    case .complication: .acceptedNoUI
    }
  }

  /// Assumed: the number 1 counts as true.
  private static func reload(_ body: JSONNode) -> ServiceReaction {
    let flag = body["aps"]?["content-changed"]
    return flag?.bool ?? (flag?.wholeNumber == 1) ? .reloadHint : .noContentChange
  }
}
