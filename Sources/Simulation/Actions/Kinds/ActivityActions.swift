import APNs
import Devices
import Grammar
import Timeline
import WireFormats

/// Starts a Live Activity in the app.
package struct StartActivity: AppActionKind {
  static let shape = ActionShape<Self>(
    "startActivity", "Start a Live Activity in the app",
    meaning:
      "The person opens the app for it, unless `from` says otherwise, and returns the phone to its earlier state.",
    members: [
      .app,
      .maybe("attributesType", at: \.attributesType, as: .text, "Name of the Swift type. Default: the app's first."),
      .maybe("attributes", at: \.order.attributes, as: .object, "The activity's attributes."),
      .maybe("contentState", at: \.order.content, as: .object, contentMeaning),
      .key("pushType", as: updates) { (fields, start) throws(InputProblem) in
        start.order.updates = try readUpdates(fields)
      } write: { start in
        switch start.order.updates {
        case .token: Optional.none
        case .channel: "channel"
        case .none: "none"
        }
      },
      .also("channel", at: \.channel, as: .text, "The id of a broadcast channel, for the push type channel."),
      .maybe("staleDate", at: \.order.staleDate, as: .instant),
      .usual("relevanceScore", at: \.order.relevance, as: .number, is: 0, relevanceMeaning),
      .usual(
        "style", at: \.order.isTransient, as: .choice([("standard", false), ("transient", true)]), is: false,
        "A transient activity ends when the phone is locked (iOS 18)."),
      .maybe("startDate", at: \.order.begins, as: .instant),
      .usual("alert", at: \.order.alerts, as: .truth, is: false, alertMeaning),
      .usual("from", at: \.order.scene, as: .word(as: .scene), is: .foreground),
      .maybe("error", at: \.order.injected, as: .word(as: .authorizationError)),
    ])

  private static let updates = ValueType.words(["token", "channel", "none"]).named(
    "PushType", "How the activity is updated. Default: by the channel if one is named, otherwise by a token.")

  package var app: String?
  package var attributesType: String?
  /// The request as the phone receives it; its `type` is resolved from `attributesType`.
  package var order = ActivityStartRequest(type: 0)

  package init() {}

  package init(app: String?, attributesType: String? = nil) {
    self.app = app
    self.attributesType = attributesType
  }

  var channel: String? { if case .channel(let id) = order.updates { id } else { nil } }

  private static func readUpdates(_ fields: Fields) throws(InputProblem) -> ActivityUpdates {
    let kind = try fields.word("pushType", among: ["token", "channel", "none"])
    if let channel = try fields.text("channel") {
      guard kind == nil || kind == "channel" else {
        throw fields.problem("channel", "channel is valid only with the push type channel.")
      }
      return .channel(channel)
    }
    if kind == "channel" {
      throw fields.problem("channel", "channel is required: the id of a broadcast channel.")
    }
    return kind == "none" ? .none : .token
  }

  /// The person opens the app first, unless the order says otherwise.
  func perform(on device: DeviceID, in state: inout DeviceState, at now: Instant) throws(CommandProblem) {
    let app = try state.fleet.installed(app, on: device)
    var order = order
    if let channel {
      let home = state.fleet.channelHome(app, on: device)
      order.isChannelUnknown = !state.subscriptions.channels.contains(.init(home: home, id: channel))
    }
    order.type = try state.fleet.type(attributesType, app)
    state.ask(device, at: now) { phone, turn in
      guard order.scene == .foreground, phone.installs[app].life != .foreground else {
        _ = phone.request(order, app: app, &turn)
        return
      }
      phone.visit(app, &turn) { _ = $0.request(order, app: app, &$1) }
    }
  }
}

/// Updates a Live Activity from the app.
struct UpdateActivity: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "updateActivity", "Update a Live Activity from the app",
    members: [
      .app, .activity,
      .needed(
        "contentState", at: \.order.content, as: .object(wanted: "the new content of the activity"), contentMeaning),
      .maybe(
        "timestamp", at: \.order.timestamp, as: .number,
        "Seconds since 1970. Default: now. Pushes and app updates share one newest timestamp."),
      .maybe("staleDate", at: \.order.staleDate, as: .instant),
      .maybe("relevanceScore", at: \.order.relevance, as: .number, relevanceMeaning),
      .usual("alert", at: \.order.alerts, as: .truth, is: false, alertMeaning),
    ])

  var app: String?
  var activity: String?
  var order = ActivityUpdateRequest(content: [:])

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.activity(activity, app, on: device, at: now)
    return .tried { [order] in $0.update(number, app: app, with: order, &$1) }
  }

  func rejection(on device: DeviceID, in fleet: Fleet) -> CommandProblem {
    CommandProblem(
      .impossible, field: "activity",
      sentence:
        "The app cannot update it: its card waits for an answer, the timestamp is not newer than the last one, or "
        + "attributes and content together are larger than 4,096 bytes.")
  }
}

/// Ends a Live Activity from the app.
struct EndActivity: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "endActivity", "End a Live Activity from the app",
    members: [
      .app, .activity, .maybe("contentState", at: \.content, as: .object, contentMeaning),
      .maybe("dismissalDate", at: \.dismissal, as: .instant),
    ])

  var app: String?
  var activity: String?
  var content: JSONValue?
  var dismissal: Instant?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.activity(activity, app, on: device, at: now)
    let order = ActivityEndRequest(.command, content: content, dismissing: dismissal)
    return .tried { $0.end(number, app: app, with: order, &$1) }
  }

  func rejection(on device: DeviceID, in fleet: Fleet) -> CommandProblem {
    CommandProblem(
      .impossible, field: "activity",
      sentence: "Its card shows the Allow question; the app cannot end it before it is answered.")
  }
}

struct EvictActivity: PhoneActionKind, ActivityActionKind {
  static let shape = ActionShape<Self>(
    "evict", "The system ends a Live Activity for room", members: [.app, .activity])

  var app: String?
  var activity: String?

  func operation(on device: DeviceID, in fleet: Fleet, at now: Instant) throws(CommandProblem) -> PhoneOperation {
    let (app, number) = try fleet.activity(activity, app, on: device, at: now)
    return .done { _ = $0.end(number, app: app, with: ActivityEndRequest(.system), &$1) }
  }
}

private let contentMeaning = "The content of its card."
private let relevanceMeaning = "The highest is shown first."
private let alertMeaning = "It alerts the person and is drawn at once; required for a scheduled activity."
