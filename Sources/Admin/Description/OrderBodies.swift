import Devices
import Grammar
import Orders
import Simulation
import WireFormats

/// The bodies of orders: actions and faults, made from the types of their readers.
extension RequestBody {
  /// Actions that have the same keys.
  private struct ActionGroup {
    let title: String
    let meaning: String?
    let names: [String]
    /// Keys that are needed besides `do`.
    let needed: [String]
    /// Notes that differ from those of other actions.
    let notes: [String: Schema.Note]

    init(
      _ title: String, _ names: [String], meaning: String? = nil, needs needed: [String] = [],
      notes: [String: Schema.Note] = [:]
    ) {
      self.title = title
      self.meaning = meaning
      self.names = names
      self.needed = needed
      self.notes = notes
    }

    var schema: Schema {
      let word = names.count == 1 ? Schema.constant(names[0]) : .words(names)
      let type = ValueType.members(ActionReader.typed(ActionReader.details(of: names[0])), needed: needed)
      let members = Schema.members(of: type, actionNotes.merging(notes) { _, own in own })
      var head: [JSONValue.Member] = [.init("title", .string(title))]
      if let meaning { head.append(.init("description", .string(meaning))) }
      return Schema.object([.init("do", word)] + members).with(.object(head))
    }
  }

  private static let activityID = Schema.string
    .named("ActivityId", "The id of an activity, ignoring case. Default: the only one.")
  private static let updates = Schema.words(["token", "channel", "none"])
    .named("PushType", "How the activity is updated. Default: by the channel if one is named, otherwise by a token.")

  private static let actionNotes: [String: Schema.Note] = [
    "app": .init(as: .bundleID), "activity": .init(as: activityID),
    "open": .init(
      "Whether it is opened at once; an app that was never opened has no tokens.", limits: ["default": true]),
    "silent": "The app is not told about the new token.",
    "attributesType": "Name of the Swift type. Default: the app's first.",
    "attributes": "The activity's attributes.", "contentState": "The content of its card.",
    "pushType": .init(as: updates),
    "channel": "The id of a broadcast channel, for the push type channel.", "staleDate": .init(as: .seconds),
    "relevanceScore": "The highest is shown first.",
    "style": "A transient activity ends when the phone is locked (iOS 18).", "startDate": .init(as: .seconds),
    "alert": "It alerts the person and is drawn at once; required for a scheduled activity.",
    "timestamp": "Seconds since 1970. Default: now. Pushes and app updates share one newest timestamp.",
    "dismissalDate": .init(as: .seconds), "notification": "Its number on the screen. Default: the newest.",
    "os": .init(as: .version), "ahead": "By how much it is ahead, such as 90m or -90m.",
    "action": "An action of the app's profile, such as follow.",
    "arguments": "The values of `{{arg.…}}` in its templates.",
  ]

  private static let groups: [ActionGroup] = [
    .init(
      "Delete an app", ["uninstall"],
      meaning: "A deleted app's tokens are dead; APNs learns it from later pushes, hours later."),
    .init("Install a deleted app again", ["reinstall"]),
    .init(
      "Install the next version of an app over the present one", ["updateApp"],
      meaning:
        "The app gets the types of its next version, if the fleet's plan has any; tokens and activities continue."),
    .init(
      "Replace a token", ["rotate"], needs: ["kind"],
      notes: [
        "attributesType": "For a pushToStart token. Default: the app's first.",
        "activity": "For an update token. Default: the only one that runs.",
      ]),
    .init(
      "Open or leave an app", ["open", "leave"],
      meaning: "Opening it unlocks the phone and turns its screen on; both stay so."),
    .init(
      "End an app's process", ["forceQuit", "terminate", "crash"],
      meaning: "The person force-quits it, the system needs memory, or it crashes."),
    .init(
      "Start a Live Activity in the app", ["startActivity"],
      meaning:
        "The person opens the app for it, unless `from` says otherwise, and returns the phone to its earlier state."),
    .init("Update a Live Activity from the app", ["updateActivity"], needs: ["contentState"]),
    .init("End a Live Activity from the app", ["endActivity"]),
    .init("The system ends a Live Activity for room", ["evict"]),
    .init(
      "Touch an activity", ["swipe", "tap", "longPress"],
      meaning: """
        A swipe removes the card and ends its activity; a tap opens its app, or in StandBy first shows it on the whole
        screen, if it is the one shown there; a long press expands the Dynamic Island that shows it.
        """),
    .init(
      "Answer the question under a card", ["allow", "deny"],
      meaning: "Allow gives the update token; Don't Allow removes the card and turns the app's Live Activities off."),
    .init("Tap a notification", ["tapNotification"], meaning: "Its app opens."),
    .init("Clear an app's notifications", ["clearNotifications"]),
    .init(
      "Do something in the app", ["use"],
      meaning: """
        One of the `action.NAME` events of the app's profile, such as a tap on the bell. The app is opened for it,
        and left after a while.
        """, needs: ["action"]),
    .init(
      "Do something to the phone as a whole",
      ["lock", "unlock", "lightScreen", "darkenScreen", "goOffline", "goOnline", "reboot", "restore"],
      meaning: "`restore` restores a backup: every token changes, and an app has none before it is opened."),
    .init(
      "Set the phone's clock", ["setClock"],
      meaning: "Stale and dismissal dates, and the times that its apps report, go by this clock.", needs: ["ahead"]),
    .init("Install a later version of iOS", ["updateSystem"], needs: ["os"]),
    .init("Switch something", ["switch"], meaning: "`app` is only for switches of an app.", needs: ["what", "on"]),
    .init("Answer whether an app may notify", ["permit"], needs: ["notifications"]),
  ]

  /// The names that the document describes; a test compares them with the actions.
  static let describedActions = groups.flatMap(\.names)

  static let deviceAction = RequestBody(
    Schema.members(of: ActionReader.type), named: "Action", "The action in `do`, with its parameters.",
    as: .either(groups.map(\.schema)))

  static let action = RequestBody(
    Schema.members(of: ActionReader.type, actionNotes) + [
      .init(
        "where",
        .object(
          Schema.members(
            of: SelectionReader.type,
            [
              "app": "Devices with the app of this bundle id installed.",
              "share": """
              Each of those devices is drawn separately, by the fleet's seed and `name`: 30% of 100 devices is about 30
              of them, not exactly 30. For an exact number, list `devices`.
              """,
              "name": """
              The name of the draw. The same name draws the same devices, and a larger share includes all devices of a
              smaller one. A different name draws a different random set; the two may overlap.
              """,
            ])
        ).named("Selection", "The devices that match every condition; all devices without conditions.")),
      .maybe("cursor", .string.with(["pattern": "^[0-9]{1,9}$"]), meaning: "The `next` of the previous answer."),
    ], named: "Order", "An action with the members that `Action` has for that `do`, and a selection of devices.")

  static let fault = RequestBody(
    Schema.members(of: FaultReader.type, faultNotes) + [
      .maybe("session", .string, meaning: "An open session; not valid for faults of listeners.")
    ], named: "FaultOrder",
    """
    The response of GET can be sent back: keys that only responses have (`readOnly`) are ignored, and null has the
    same meaning as a missing key.
    """, answered: FaultReader.answered)

  private static let faultNotes: [String: Schema.Note] = [
    "name": .init(limits: ["minLength": 1]), "when": "Conditions for pushes or devices; all must match.",
    "when.app": "Bundle id.", "when.event": "start, update or end; for calls the app's event, such as activityToken.",
    "when.share": "A share of the devices; each is drawn separately, by the seed and the fault's name.",
    "when.operation": "Only broadcasts (publish), or requests about channels of that kind.",
    "when.channel": "Only broadcasts and requests about the channel with this id.",
    "when.skip": "Number of matching pushes to skip first, in the order of arrival.",
    "when.every": "Strikes every Nth match after those, in the order of arrival; 1 strikes all.",
    "when.opening": "Strikes connections when they open, not pushes.",
    "when.idle": "Strikes connections without a push for this long, such as 60s.",
    "odds": "Drawn separately for each token, so the order of arrival does not matter.",
    "limit": "Maximum number of strikes: the first matches.",
    "from": "A duration from now, or a time as in responses.",
    "until": "A duration from now, or a time as in responses.",
    "for": "Instead of until: the duration from the beginning.",
    "then": .init(
      "What goes wrong, one of: \(ConsequenceReader.names.joined(separator: ", ")); docs/faults.md describes each.",
      as: .object, limits: ["minProperties": 1]),
  ]
}
