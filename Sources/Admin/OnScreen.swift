import Devices
import Simulation
import Timeline
import WireFormats

/// What an activity's card showed before a push, and after it.
struct OnScreen {
  private let before: JSONValue
  private let after: JSONValue

  init(_ record: PushRecord, _ world: World) {
    switch record.fate.reaction {
    case .started(_, let remarks):
      before = .null
      after = Self.card(
        remarks.contains(.awaitingPermission) ? "prompting" : "active", ActivityContent.push(record.request))
    case .updated(_, let remarks, let shown):
      before = Self.card(shown.isStale ? "stale" : "active", shown.content)
      let isBehind = remarks.contains(.renderDelayed) || remarks.contains(.renderStuck)
      after = Self.card("active", isBehind ? shown.content : .push(record.request))
    case .ended(_, let dismissal, _, let shown):
      before = Self.card(shown.isStale ? "stale" : "active", shown.content)
      let content = ActivityContent.push(record.request)
      let isGone = dismissal <= record.at.world
      let last = content.value("content-state") == nil ? shown.content : content
      after = isGone ? .null : Self.card("ended", last)
    default:
      before = .null
      after = .null
    }
  }

  var json: JSONValue { before == .null && after == .null ? .null : ["before": before, "after": after] }

  private static func card(_ state: String, _ content: ActivityContent) -> JSONValue {
    ["state": .string(state), "contentState": content.value("content-state") ?? .null]
  }
}
