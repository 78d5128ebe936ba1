import APNs
import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

extension DeviceView {
  static let shape = Shape<DeviceView>(
    "Device", meaning: "A virtual iPhone.",
    members: [
      .init("id", .deviceID) { .string($0.id.text) },
      .init("user", .user, meaning: "Its owner: `u` and the number of the person's first phone.") {
        .string($0.user.text)
      },
      .init("os", .string.example("18.5"), meaning: "Its version of iOS.") { .string($0.os.text) },
      .init("online", .truth, meaning: "Whether it is connected to APNs.") { .bool($0.isOnline) },
      .init("locked", .truth) { .bool($0.isOn(.locked)) },
      .init("screenOn", .truth, meaning: "Whether a person looks at it.") { .bool($0.isOn(.screenOn)) },
      .init("unlockedSinceReboot", .truth, meaning: "Before the first unlock, no app can be launched.") {
        .bool(!$0.isOn(.beforeFirstUnlock))
      },
      .init("dynamicIsland", .truth, meaning: "Whether it has one.") { .bool($0.hasIsland) },
      .init("watch", .truth, meaning: "Whether a Watch is paired.") { .bool($0.hasWatch) },
      .init("lowPower", .truth, meaning: "Low Power Mode is on.") { .bool($0.isOn(.lowPower)) },
      .init("batteryLow", .truth, meaning: "The battery is below 20 %.") { .bool($0.isOn(.batteryBelow20)) },
      .init("thermalPressure", .truth, meaning: "The phone is hot.") { .bool($0.isOn(.thermalSerious)) },
      .init("charging", .truth) { .bool($0.isOn(.charging)) },
      .init("focus", .truth, meaning: "A Focus is on, such as Do Not Disturb.") { .bool($0.isOn(.focus)) },
      .init("timeSensitive", .truth, meaning: "Time-sensitive notifications pass the Focus.") {
        .bool($0.isOn(.timeSensitiveAllowed))
      },
      .init("standBy", .truth, meaning: "It stands on its side, as for StandBy.") { .bool($0.isOn(.onItsSide)) },
      .init("carPlay", .truth, meaning: "It is connected to a car.") { .bool($0.isOn(.inCar)) },
      .init("mac", .truth, meaning: "A Mac of its owner's is near.") { .bool($0.isOn(.besideMac)) },
      .init("clockAhead", .number, meaning: "Seconds by which its clock is ahead; below zero it is behind.") {
        .double($0.clockAhead / .seconds(1))
      },
      .init("allLiveActivities", .truth, meaning: "Live Activities are allowed on this phone.") {
        .bool(!$0.isOn(.activitiesOff))
      },
      .init("storedPushes", .whole, meaning: "Pushes that APNs stores until it is online.") { JSONValue($0.waiting) },
      .list("apps", of: App.shape, meaning: "The fleet's apps on this device, including deleted ones.") { $0.apps },
    ])

  var json: JSONValue { Self.shape.json(self) }

  private func isOn(_ condition: DeviceCondition) -> Bool { self.condition.contains(condition) }
}

extension DeviceView.App {
  fileprivate static let shape = Shape<DeviceView.App>(
    "App", meaning: "An app on a device.",
    members: [
      .init("bundleId", .string) { .string($0.profile.bundleID) },
      .init("teamId", .string) { .string($0.profile.teamID) },
      .init("environment", .environment) { .string($0.environment.rawValue) },
      .init("installed", .truth) { .bool($0.isInstalled) },
      .init(
        "state", .words(AppLifecycle.allCases.map(\.rawValue) + ["deleted"]),
        meaning:
          "The state of its process. Only the person, a reboot or a call starts an app again that was `forceQuit`."
      ) { .string($0.isInstalled ? $0.life.rawValue : "deleted") },
      .init("notifications", .permission) { .string($0.permission.rawValue) },
      .init("liveActivities", .truth, meaning: "The person allows its Live Activities.") {
        .bool($0.allowances.contains(.liveActivities))
      },
      .init("frequentUpdates", .truth, meaning: #"The person has "More Frequent Updates" on."#) {
        .bool($0.allowances.contains(.frequentUpdates))
      },
      .init("backgroundRefresh", .truth, meaning: "Background App Refresh is on.") {
        .bool($0.allowances.contains(.backgroundRefresh))
      },
      .init(
        "updateBudget", .words(BudgetLevel.self), meaning: "The hourly budget of priority 10 updates of its activities."
      ) {
        .string($0.level.rawValue)
      },
      .init("startsLeft", .integer, meaning: "Starts by push left; negative if rejected starts were charged.") {
        JSONValue($0.startsLeft)
      },
      .init(
        "deviceToken", .string.orNull,
        meaning: "Hexadecimal; null while the app is not installed, or has not been opened since."
      ) { JSONValue($0.deviceToken) },
      .list("services", of: service, meaning: "Other services for which the app has separate tokens.") { $0.services },
      .list(
        "pushToStart", of: startToken,
        meaning: """
          One token per attributes type; none below iOS 17.2, and on 17.2 to 17.6 only after the app was deleted, the
          phone rebooted and the app installed again.
          """
      ) { $0.startTokens },
      .list(
        "activities", of: DeviceView.Activity.shape,
        meaning: "Live Activities, including ended ones while they are remembered."
      ) { $0.activities },
    ])

  private static let service = Shape<DeviceView.Service>(members: [
    .init("kind", .tokenKind) { .string($0.kind.name) }, .init("token", .string) { .string($0.token) },
  ])

  private static let startToken = Shape<DeviceView.StartToken>(members: [
    .init("attributesType", .string) { .string($0.attributesType) }, .init("token", .string) { .string($0.token) },
  ])
}

extension DeviceView.Activity {
  fileprivate static let shape = Shape<DeviceView.Activity>(
    "Activity", meaning: "A Live Activity.",
    members: [
      .init("id", .uuid) { .string($0.id) },
      .init("attributesType", .string, meaning: "Name of the Swift type.") { .string($0.attributesType) },
      .init("state", .activityState) { .string($0.state.rawValue) },
      .init("startedAt", .time) { .string($0.startedAt.rfc3339) },
      .init("endedAt", .timeOrNull) { JSONValue($0.endedAt?.rfc3339) },
      .init("updateToken", .string.orNull, meaning: "Hexadecimal; null until APNs has issued one.") {
        JSONValue($0.token)
      },
      .init(
        "startedBy", .words(LiveActivity.Origin.self),
        meaning: "`fleet`: it was running when the world began; `command`: its app started it."
      ) { .string($0.origin.rawValue) },
      .init("updatesLeft", .integer.orNull, meaning: "Priority 10 updates left in the budget; null if it does not run.")
      {
        $0.budgetLeft.map { JSONValue($0) } ?? .null
      },
    ])
}

extension TokenView {
  static let shape = Shape<TokenView>(
    "Token", meaning: "A token and what it belongs to.",
    members: [
      .init("token", .string, meaning: "Lower-case hexadecimal.") { .string($0.token) },
      .init("kind", .tokenKind) { .string($0.kind.name) }, .init("device", .deviceID) { .string($0.device.text) },
      .init("app", .string, meaning: "Bundle id.") { .string($0.app) },
      .init("topic", .string, meaning: "The `apns-topic` for pushes to it.") { .string($0.topic) },
      .init("environment", .environment) { .string($0.environment.rawValue) },
      .maybe("attributesType", .string, meaning: "For pushToStart and update tokens.") {
        $0.attributesType.map { .string($0) }
      },
      .maybe("activity", .uuid, meaning: "For update tokens.") { $0.activity.map { .string($0) } },
      .init("live", .truth, meaning: "Whether its app is installed or its activity runs.") { .bool($0.isLive) },
      .init("given", .truth, meaning: "Whether the user registered it; otherwise it was made from the seed.") {
        .bool($0.isGiven)
      },
    ])

  var json: JSONValue { Self.shape.json(self) }
}
