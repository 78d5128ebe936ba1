import Devices
import Grammar
import Simulation
import Timeline
import WireFormats

/// The content of an activity's card before a push, and after it.
struct CardChange {
  static let shape = Shape<CardChange>(members: [
    .init("before", shown) { $0.before.map { card.json($0) } ?? .null },
    .init("after", shown) { $0.after.map { card.json($0) } ?? .null },
  ])

  private static let shown = card.schema.orNull.named("Shown", "A card; null if there was none.")
  private static let card = Shape<Card>(members: [
    .init("state", Screen.Card.states) { .string($0.state) },
    .init("contentState", .any, meaning: "The drawn content.") { $0.content ?? .null },
    .orNull("drawn", CardDrawing.shape, meaning: "What it shows; null if the activity is no longer kept.") {
      $0.drawing
    },
  ])

  private typealias Card = (state: String, content: JSONValue?, drawing: CardDrawing?)

  /// Nil if there was no card.
  private let before: Card?
  private let after: Card?

  /// - Returns: nil if the push has changed no card.
  init?(_ record: PushRecord, _ names: WorldNames) {
    let template = names.card(of: record)
    func card(_ state: String, _ content: ActivityContent) -> Card {
      let content = content.value("content-state")
      let drawing = template.map { type, card, attributes in
        CardDrawing(card, type: type, attributes: attributes, state: content)
      }
      return (state, content, drawing)
    }
    // A deferred or stored push reached the card later than it was received.
    let met = record.later.last?.at ?? record.at.world
    switch record.fate.reaction {
    case .started(_, let remarks):
      before = nil
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
      after = isGone ? nil : card("ended", last)
    default: return nil
    }
  }

  /// A push may set a stale date that has already passed.
  private static func state(_ remarks: Remarks) -> String { remarks.contains(.isStale) ? "stale" : "active" }
}
