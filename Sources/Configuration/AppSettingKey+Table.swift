import APNs
import Devices
import Simulation

extension AppSettingKey {
  private static let plain = AppProfile(bundleID: "com.example.app", teamID: FleetPlan.standardTeam)
  private static let observing = SettingEvidence.observed(
    "mistakes here cause neither an error nor a crash")
  private static let sizes = SettingEvidence.observed(
    "32 and 80 bytes in public samples (flutter_live_activities issue 146); Apple says only that no size may be assumed"
  )

  /// All keys, in the order of the listing.
  package static let table: [AppSettingKey] = identity + capabilities + writing

  private static let identity: [AppSettingKey] = [
    AppSettingKey("bundleId", as: "bundle", standard: "", "Its bundle id, which is also its topic. Required."),
    AppSettingKey(
      "profile", as: "name|file", standard: "none",
      "A profile that supplies everything except bundleId, teamId, environment and backend:"
        + " \(ShippedProfile.all.map(\.name).joined(separator: ", ")), or a file."),
    AppSettingKey(
      "reports", as: "{on: {event: [request,…]},…}", standard: "none",
      "Its reports to the backend, as templates; see docs/profiles.md."),
    AppSettingKey("backend", as: "url", standard: "reports.backend", "Its own backend, if apps have different ones."),
    AppSettingKey("teamId", as: "team", standard: plain.teamID, "Team whose keys can push to it."),
    AppSettingKey(
      "environment", as: AppProfile.Build.allCases.map(\.rawValue).joined(separator: "|"),
      standard: plain.build.rawValue,
      "The installed build, which decides which environment issues its tokens."),
    AppSettingKey(
      "attributesTypes", as: "[type,…]", standard: "none",
      "Its ActivityAttributes types: names, or entries of name, attributes, contentState (schemas), images"
        + " (\(AttributesType.Images.allCases.map(\.rawValue).joined(separator: "|"))) and the presentations that its"
        + " widget provides, which must be all of"
        + " \(RequiredPresentation.allCases.map(\.rawValue).joined(separator: ", ")); card is how its cards are drawn"
        + " (docs/profiles.md)."),
    AppSettingKey(
      "nextVersion", as: "{attributesTypes: […]}", standard: "none",
      "The types as the next version of the app declares them, in the same order.",
      grounds: .assumed("running activities are decoded by the installed version")),
    AppSettingKey(
      "services", as: "[service,…]", standard: plain.services.map { TokenKind.service($0).name }.joined(separator: ","),
      "Other services for which it registers separate tokens."),
    AppSettingKey(
      "runningActivities", as: "n", standard: "\(plain.runningActivities)",
      "Live Activities of its first type that run on every install when the world begins."),
    AppSettingKey(
      "deviceTokenBytes", as: "n", standard: "\(plain.tokenSizes.app)", "Length of its device tokens.", grounds: sizes
    ),
    AppSettingKey(
      "liveActivityTokenBytes", as: "n", standard: "\(plain.tokenSizes.liveActivity)",
      "Length of its push-to-start and update tokens.", grounds: sizes),
  ]

  private static let capabilities: [AppSettingKey] = [
    AppSettingKey(
      "liveActivities", at: \.supportsLiveActivities, as: .truth, "NSSupportsLiveActivities is in its Info.plist."),
    AppSettingKey(
      "frequentUpdates", at: \.frequentUpdates, as: .truth,
      "NSSupportsLiveActivitiesFrequentUpdates is in its Info.plist."),
    AppSettingKey(
      "pushCapability", at: \.pushCapability, as: .truth, "It has the push capability.",
      grounds: .documented("Apple: without it an activity has no token")),
    AppSettingKey(
      "backgroundPushes", at: \.backgroundPushes, as: .truth, "It has the background mode remote-notification.",
      grounds: .documented("Apple, Pushing background updates to your App")),
    AppSettingKey(
      "criticalAlerts", at: \.criticalAlerts, as: .truth,
      "It has the entitlement for critical alerts, and the person's permission."),
  ]

  private static let writing: [AppSettingKey] = [
    AppSettingKey(
      "presentsInForeground", at: \.presentsInForeground, as: .truth,
      "It shows notifications while it is in the foreground (willPresent)."),
    AppSettingKey(
      "reportsCalls", at: \.reportsCalls, as: .callReporting,
      "When it reports a call to CallKit for a VoIP push; after 3s: its handler has returned, which is too late.",
      grounds: .documented("Apple, WWDC26 session 226: a late report does not save the app")),
    AppSettingKey("joinsChannels", at: \.joinsChannels, as: .truth, "It joins a Push to Talk channel."),
    AppSettingKey(
      "serviceExtension", at: \.serviceExtension, as: .serviceExtension,
      "Duration of its notification service extension; timeout: it never calls its completion handler.",
      grounds: .documented("Apple, UNNotificationServiceExtension: it has about 30 s")),
    AppSettingKey(
      "categories", as: "{CATEGORY: {buttons: {NAME: title}, reply: title}}", standard: "none",
      "The actions of its notifications, by aps.category; see docs/profiles.md."),
    AppSettingKey("sounds", as: "[file,…]", standard: "none", "Sound files in its bundle."),
    AppSettingKey(
      "strings", as: "{language: {KEY: text}}", standard: "none",
      "Its Localizable.strings; the first language is its development language."),
    AppSettingKey(
      "observe.activityUpdates", at: \.observing.activityUpdates, as: .truth, "It observes activityUpdates.",
      grounds: observing),
    AppSettingKey(
      "observe.atLaunch", at: \.observing.atLaunch, as: .truth,
      "It starts observing at launch, not when it creates an activity.", grounds: observing),
    AppSettingKey(
      "observe.tokenUpdates", at: \.observing.tokenUpdates, as: .truth,
      "It observes the streams of tokens; otherwise it reads each token once: at launch, or right after it has started"
        + " an activity, before the token exists.", grounds: observing),
    AppSettingKey(
      "observe.keepsTask", at: \.observing.keepsTask, as: .truth,
      "It keeps the task that observes tokens; otherwise that ends when the app goes to the background.",
      grounds: observing),
  ]
}
