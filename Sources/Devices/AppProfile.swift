import APNs
import WireFormats

/// An app that the fleet's devices have installed.
package struct AppProfile: Hashable, Sendable {
  /// The installed build, which decides which environment issues its tokens.
  package enum Build: String, CaseIterable, Hashable, Sendable {
    case sandbox
    case production
    /// A random half of the devices, by the seed, has each.
    case mixed
  }

  package var bundleID: String
  package var teamID: String
  package var build: Build
  /// The `ActivityAttributes` types the app declares.
  package var types: [AttributesType]
  /// Other services for which the app registers separate tokens.
  package let services: [TopicSuffix]
  /// Number of Live Activities of the first type that run on every install when the world begins.
  package var runningActivities: Int
  package var tokenSizes = TokenSizes()
  package var categories: [NotificationCategory] = []
  /// Facts of the app's Info.plist and entitlements, and the quality of its code.
  package var traits = AppTraits()

  package init(
    bundleID: String, teamID: String, build: Build = .sandbox, types: [AttributesType] = [],
    services: [TopicSuffix] = [.voip], runningActivities: Int = 0
  ) {
    self.bundleID = bundleID
    self.teamID = teamID
    self.build = build
    self.types = types
    self.services = services
    self.runningActivities = runningActivities
  }
}

extension AppProfile {
  /// An app with types known only by name.
  package init(
    bundleID: String, teamID: String, build: Build = .sandbox, attributesTypes: [String],
    services: [TopicSuffix] = [.voip], runningActivities: Int = 0
  ) {
    self.init(
      bundleID: bundleID, teamID: teamID, build: build, types: attributesTypes.map { AttributesType($0) },
      services: services, runningActivities: runningActivities)
  }

  /// The names of its types.
  package var attributesTypes: [String] { types.map(\.name) }
}

/// A Swift type that conforms to `ActivityAttributes`, as far as an app profile declares it.
package struct AttributesType: Hashable, Sendable {
  /// The Swift type's name.
  package let name: String
  /// The type that `attributes` must decode into; nil if the profile declares none, then anything decodes.
  package let attributes: ContentDecoder?
  package let contentState: ContentDecoder?
  /// The state of the images that the widget draws.
  package var images = Images.ready
  /// True if the widget declares a small presentation, for Watch and CarPlay.
  package var suppliesSmall = false
  /// The template of the type's cards; nil shows the keys and values of the content.
  package var card: CardTemplate?

  /// Documented: the widget has no network access, so images must be in the App Group beforehand. An image larger than
  /// the presentation can keep the activity from starting.
  package enum Images: String, CaseIterable, Hashable, Sendable {
    case ready
    case missing
    case tooLarge
  }

  package init(_ name: String, attributes: ContentSchema? = nil, contentState: ContentSchema? = nil) {
    self.name = name
    self.attributes = attributes.map { ContentDecoder($0) }
    self.contentState = contentState.map { ContentDecoder($0) }
  }
}
