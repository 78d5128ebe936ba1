import APNs
import Devices
import Grammar
import Reporting
import Simulation
import Timeline
import WireFormats

extension Screen {
  private typealias Row = (screen: Screen, device: DeviceID, now: Instant, apps: [AppProfile])

  static var schema: Schema { shape.schema }

  private static let shape = Shape<Row>(
    "Screen",
    members: [
      .init("device", .deviceID) { .string($0.device.text) },
      .init("at", .time, meaning: "The time at which it looks like this, by the world's clock.") {
        .string($0.now.rfc3339)
      },
      .init("locked", .truth) { .bool($0.screen.isLocked) },
      .init("lit", .truth, meaning: "Whether the screen is on: a person looks at it, or something turned it on.") {
        .bool($0.screen.isLit)
      },
      .list("lockScreen", of: Card.shape) { $0.screen.cards },
      .object("dynamicIsland", Island.shape) { ($0.screen.island, $0.screen.isLocked) },
      .list(
        "surfaces", of: Surface.shape,
        meaning: "Other places that show activities, with an entry for each presentation there."
      ) { $0.screen.surfaces.flatMap { surface in surface.groups.map { (surface.place, $0) } } },
      .orNull("alert", Alert.shape, meaning: "The alert of a Live Activity that is shown right now.") {
        $0.screen.alert
      },
      .orNull("prompt", prompt, meaning: "The Allow question of the first card with an open question.") {
        $0.screen.cards.first(where: \.asks)
      },
      .list("notifications", of: Notification.shape, meaning: "Newest first.") { $0.screen.notifications },
      .list("badges", of: badge, meaning: "The badges of apps that have one.") { $0.screen.badges },
      .list("tints", of: tint, meaning: "Colors of the apps whose profile has a `card` with a tint.") { row in
        row.apps.compactMap { app in
          app.types.compactMap { $0.card?.tint }.first.map { (app: app.bundleID, color: $0) }
        }
      },
      .init("sounds", .list(of: .string), meaning: "The sounds being played right now.") {
        .array($0.screen.sounds.map { .string($0) })
      },
      .list(
        "bells", of: bell, meaning: "The bells that apps show; a thing that is not followed has an empty bell."
      ) { $0.screen.bells },
    ])

  /// - Parameter apps: those of the fleet.
  func json(of device: DeviceID, at now: Instant, _ apps: [AppProfile]) -> JSONValue {
    Self.shape.json((self, device, now, apps))
  }

  private static let prompt = Shape<Card>(members: [
    .init("activity", .uuid) { .string($0.id) }, .init("app", .string, meaning: "Bundle id.") { .string($0.bundleID) },
    .init("question", .string) { .string("Allow Live Activities from \($0.bundleID)?") },
  ])

  private static let badge = Shape<Badge>(members: [
    .init("app", .string, meaning: "Bundle id.") { .string($0.bundleID) },
    .init("badge", .positive) { JSONValue($0.number) },
  ])

  private static let tint = Shape<(app: String, color: String)>(members: [
    .init("app", .string, meaning: "Bundle id.") { .string($0.app) },
    .init("tint", .string, meaning: "As in the profile, such as `#0a7d3b`.") { .string($0.color) },
  ])

  private static let bell = Shape<(bundleID: String, key: String, bell: BellIcon)>(members: [
    .init("app", .string, meaning: "Bundle id.") { .string($0.bundleID) },
    .init("key", .string, meaning: "The thing that is followed, such as a match.") { .string($0.key) },
    .init(
      "bell", .words(["filled", "filledWarning"]), meaning: "With a warning: followed, but the Live Activity failed."
    ) { .string($0.bell.rawValue) },
  ])

  /// The sounds being played.
  private var sounds: [String] {
    [alert?.sound].compactMap(\.self) + notifications.filter(\.isBanner).compactMap { $0.shown.sound?.name }
  }
}

extension Screen.Card {
  fileprivate static let shape = Shape<Screen.Card>(
    "Card", meaning: "One Live Activity on the Lock Screen.",
    members: [
      .init("activity", .uuid) { .string($0.id) }, .init("app", .string) { .string($0.bundleID) },
      .init("attributesType", .string) { .string($0.attributesType) },
      .init("state", states) { .string($0.state.rawValue) }, .init("isStale", .truth) { .bool($0.state == .stale) },
      .init("relevanceScore", .number) { .double($0.relevance) },
      .init("startedAt", .time) { .string($0.startedAt.rfc3339) },
      .init("dismissesAt", .timeOrNull, meaning: "When the card is removed by itself; null while the activity runs.") {
        JSONValue($0.dismissal?.rfc3339)
      },
      .init("attributes", .any, meaning: "From the start; null if there were none.") { $0.attributes ?? .null },
      .init("contentState", .any, meaning: "The drawn content.") { $0.content ?? .null },
      .object("drawn", CardDrawing.shape) { $0.drawing },
      .maybe(
        "notDrawnYet", undrawn.schema,
        meaning: "Content that is applied but not drawn yet; omitted if everything is drawn."
      ) { $0.coming.map { undrawn.json($0) } },
      .maybe("imagesMissing", .truth.with(["const": true]), meaning: "Placeholders are drawn; omitted otherwise.") {
        $0.hasPlaceholders ? true : nil
      },
    ])

  private static let undrawn = Shape<(content: JSONValue?, at: Instant?)>(members: [
    .init("contentState", .any, meaning: "From the newest applied push.") { $0.content ?? .null },
    .init("drawnAt", .timeOrNull, meaning: "Null for never.") { JSONValue($0.at?.rfc3339) },
  ])

  /// The states of an activity with a card.
  static let states = Schema.words(
    [LiveActivity.State.prompting, .active, .stale, .ended].map(\.rawValue))
}

extension Screen.Surface {
  fileprivate static let shape = Shape<(place: Place, group: Group)>(members: [
    .init("surface", .words(Place.self)) { .string($0.place.rawValue) },
    .init(
      "presentation", .words(Presentation.self),
      meaning: """
        `small` if the app declares the presentations of its widget, else `compact`. StandBy shows one activity,
        `minimal`, and after a tap `lockScreen` on the whole screen.
        """
    ) { .string($0.group.presentation.rawValue) },
    .init("activities", .list(of: .uuid)) { .array($0.group.cards.map { .string($0.id) }) },
  ])
}

extension Screen.Alert {
  fileprivate static let shape = Shape<Screen.Alert>(members: [
    .init("activity", .uuid) { .string($0.card) },
    .init("presentation", .words(["expanded", "banner", "lockScreen"])) { .string($0.shown.presentation.rawValue) },
    .init("title", .string.orNull, meaning: "In the phone's language.") { JSONValue($0.title) },
    .init("body", .string.orNull, meaning: "In the phone's language.") { JSONValue($0.body) },
    .init("sound", .string.orNull, meaning: "A file of the app, or `default`; null if no sound is played.") {
      JSONValue($0.sound)
    },
    .init("haptic", .truth, meaning: "Whether the phone vibrates.") { .bool($0.hasHaptic) },
    .init("onWatch", .truth) { .bool($0.shown.isOnWatch) },
  ])
}

extension Screen.Notification {
  fileprivate static let shape = Shape<Screen.Notification>(
    "Notification", meaning: "A notification in the list.",
    members: [
      .init("number", .whole, meaning: "Its number among those of its app, for tapNotification.") {
        .integer(Int64($0.shown.number))
      },
      .init("app", .string, meaning: "Bundle id.") { .string($0.bundleID) },
      .init("title", .string) { .string($0.text.alert.title) },
      .init("subtitle", .string) { .string($0.text.alert.subtitle) },
      .init("body", .string) { .string($0.text.alert.body) },
      .init("sound", .string.orNull, meaning: "The sound played when it arrived.") { JSONValue($0.shown.sound?.name) },
      .init("interruptionLevel", .words(InterruptionLevel.self)) { .string($0.shown.interruption.rawValue) },
      .init("threadId", .string.orNull) { JSONValue($0.text.threadID) },
      .init("category", .string.orNull) { JSONValue($0.text.category) },
      .list("buttons", of: TouchButton.shape, meaning: "Of its category in the app's profile, for pressButton.") {
        $0.category?.buttons ?? []
      },
      .init("reply", .string.orNull, meaning: "The title of its field for answerNotification; null if it has none.") {
        JSONValue($0.category?.reply)
      },
      .init("collapseId", .string.orNull) { JSONValue($0.shown.collapseID) },
      .init("at", .time) { .string($0.shown.at.rfc3339) },
      .init("banner", .truth, meaning: "It is shown as a banner right now.") { .bool($0.isBanner) },
      .init("quiet", .truth, meaning: "It arrived without a banner.") { .bool($0.shown.isQuiet) },
    ])
}

extension Screen.Island {
  fileprivate static let shape = Shape<(island: Screen.Island, isLocked: Bool)>(members: [
    .init(
      "presentation", .words(["absent", "empty", "compact", "minimal", "compactAndMinimal", "expanded"]),
      meaning: """
        `absent` if the device has none. One app is shown compact; several are shown minimal or, by a setting,
        one compact and one minimal; an alert or a long press expands it.
        """
    ) { .string($0.island.presentation) },
    .init("activities", .list(of: .uuid), meaning: "Ids of the activities it shows.") {
      .array($0.island.cards.map { .string($0.id) })
    },
    .init("visible", .truth, meaning: "Whether it is visible: a locked phone shows its cards instead.") {
      .bool(!$0.island.cards.isEmpty && !$0.isLocked)
    },
  ])

  private var presentation: String {
    switch self {
    case .absent: "absent"
    case .empty: "empty"
    case .compact: "compact"
    case .minimal: "minimal"
    case .mixed: "compactAndMinimal"
    case .expanded: "expanded"
    }
  }
}
