import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// The content of an activity's card before a push, and after it.
struct CardChange {
  static let schema = Schema.object([.init("before", shown), .init("after", shown)])
  private static let shown = Schema.object([
    .init("state", Screen.Card.states), .init("contentState", .any, meaning: "The drawn content."),
    .init("drawn", CardDrawing.shape.schema.orNull, meaning: "What it shows; null if the activity is no longer kept."),
  ]).orNull.named("Shown", "A card; null if there was none.")

  private let before: JSONValue
  private let after: JSONValue

  init(_ record: PushRecord, _ names: WorldNames) {
    let template = names.card(of: record)
    func card(_ state: String, _ content: ActivityContent) -> JSONValue {
      let state: JSONValue = .string(state)
      let content = content.value("content-state")
      return [
        "state": state, "contentState": content ?? .null,
        "drawn": template.map { type, card, attributes in
          CardDrawing(card, type: type, attributes: attributes, state: content).json
        } ?? .null,
      ]
    }
    // A deferred or stored push reached the card later than it was received.
    let met = record.later.last { !$0.isCopy }?.at ?? record.at.world
    switch record.fate.reaction {
    case .started(_, let remarks):
      before = .null
      after = card(
        remarks.contains(.awaitingPermission) ? "prompting" : Self.state(remarks), .push(record.request))
    case .updated(_, let remarks, let shown):
      before = card(shown.isStale ? "stale" : "active", shown.content)
      let isBehind = remarks.contains(.renderDelayed) || remarks.contains(.renderStuck)
      after = card(Self.state(remarks), isBehind ? shown.content : .push(record.request))
    case .ended(_, let dismissal, _, let shown):
      before = card(shown.isStale ? "stale" : "active", shown.content)
      let content = ActivityContent.push(record.request)
      let isGone = dismissal <= met
      let last = content.value("content-state") == nil ? shown.content : content
      after = isGone ? .null : card("ended", last)
    default:
      before = .null
      after = .null
    }
  }

  var json: JSONValue { before == .null && after == .null ? .null : ["before": before, "after": after] }

  /// A push may set a stale date that has already passed.
  private static func state(_ remarks: Remarks) -> String { remarks.contains(.isStale) ? "stale" : "active" }
}
