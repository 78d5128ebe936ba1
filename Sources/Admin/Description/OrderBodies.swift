import Devices
import Grammar
import Orders
import Simulation
import WireFormats

/// The bodies of orders: actions and faults, made from the types of their readers.
extension RequestBody {
  static let deviceAction = RequestBody(DeviceAction.members, as: DeviceAction.schema)

  static let action = RequestBody(
    DeviceAction.members + [
      .init("where", Schema(SelectionReader.type)),
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
    "name": .init("The name of the fault.", limits: ["minLength": 1]),
    "when": "Conditions for pushes or devices; all must match.", "when.device": "Only this device.",
    "when.app": "Only the app with this bundle id.", "when.pushType": "Only pushes of this type.",
    "when.environment": "Only this environment.",
    "when.event": "start, update or end; for calls the app's event, such as activityToken.",
    "when.share": "A share of the devices, such as 10%; each is drawn separately, by the seed and the fault's name.",
    "when.operation": "Only broadcasts (publish), or requests about channels of that kind.",
    "when.channel": "Only broadcasts and requests about the channel with this id.",
    "when.skip": "Number of matching pushes to skip first, in the order of arrival.",
    "when.every": "Strikes every Nth match after those, in the order of arrival; 1 strikes all.",
    "when.opening": "Strikes connections when they open, not pushes.",
    "when.idle": "Strikes connections without a push for this long, such as 60s.",
    "odds": """
    The share of the matching pushes that it strikes, such as 30%. Drawn separately for each token, so the order of
    arrival does not matter.
    """,
    "limit": "Maximum number of strikes: the first matches.",
    "from": "The time at which the fault begins: a duration from now, or a time as in responses.",
    "until": "The time at which the fault ends: a duration from now, or a time as in responses.",
    "for": "The duration of the fault; instead of `until`.",
    "then": .init(as: FaultKinds.schema),
  ]
}
