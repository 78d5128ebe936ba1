import APNs
import WireFormats

/// An app that the fleet's devices have installed.
package struct AppProfile: Hashable, Sendable {
  /// Which build is installed, and so which environment issues its tokens.
  package enum Build: String, CaseIterable, Hashable, Sendable {
    case sandbox
    case production
    /// Every other device, by the seed, has one or the other.
    case mixed
  }

  package var bundleID: String
  package var teamID: String
  package var build: Build
  /// The `ActivityAttributes` types the app declares.
  package let types: [AttributesType]
  /// Services beside notifications for which the app registers a token of its own.
  package let services: [TopicSuffix]
  /// Live Activities of the first type that run on every install when the world begins.
  package let runningActivities: Int
  package let tokenSizes: TokenSizes
  /// What its Info.plist and entitlements say, and how well it is written.
  package var traits = AppTraits()

  package init(
    bundleID: String, teamID: String, build: Build = .sandbox, types: [AttributesType] = [],
    services: [TopicSuffix] = [.voip], runningActivities: Int = 0, tokenSizes: TokenSizes = TokenSizes()
  ) {
    self.bundleID = bundleID
    self.teamID = teamID
    self.build = build
    self.types = types
    self.services = services
    self.runningActivities = runningActivities
    self.tokenSizes = tokenSizes
  }
}

extension AppProfile {
  /// An app whose types are known by name only.
  package init(
    bundleID: String, teamID: String, build: Build = .sandbox, attributesTypes: [String],
    services: [TopicSuffix] = [.voip], runningActivities: Int = 0, tokenSizes: TokenSizes = TokenSizes()
  ) {
    self.init(
      bundleID: bundleID, teamID: teamID, build: build, types: attributesTypes.map { AttributesType($0) },
      services: services, runningActivities: runningActivities, tokenSizes: tokenSizes)
  }

  /// The names of its types.
  package var attributesTypes: [String] { types.map(\.name) }
}

/// A Swift type that conforms to `ActivityAttributes`, as far as an app profile declares it.
package struct AttributesType: Hashable, Sendable {
  /// The Swift type's name.
  package let name: String
  /// What `attributes` must decode into; nil where the profile does not say, and anything does.
  package let attributes: ContentDecoder?
  package let contentState: ContentDecoder?
  /// What the widget finds when it draws.
  package var images = Images.ready
  /// Its widget is declared, and so has a presentation for Watch and CarPlay.
  package var suppliesSmall = false

  /// Documented: the widget has no network, so images are in the App Group beforehand; one larger than the
  /// presentation can keep the activity from starting.
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
