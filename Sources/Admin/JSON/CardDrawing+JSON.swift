import Devices
import Grammar
import WireFormats

extension TouchButton {
  static let shape = Shape<TouchButton>(members: [
    .init("name", .string, meaning: "As in the profile.") { .string($0.name) },
    .init("title", .string) { .string($0.title) },
  ])
}

extension CardDrawing {
  static let shape = Shape<CardDrawing>(
    "Drawing",
    meaning: """
      What a card shows: by the `card` of its type in the app's profile, or else the keys and values of its content, as
      many as fit 160 points.
      """,
    members: [
      .init("tint", .string.orNull.with(["pattern": "^#[0-9a-f]{6}$"])) { JSONValue($0.tint) },
      .init("title", .string) { .string($0.title) }, .init("big", .string.orNull) { JSONValue($0.big) },
      .init("line", .string.orNull) { JSONValue($0.line) },
      .init("progress", .number.orNull.with(["minimum": 0, "maximum": 1])) {
        $0.progress.map { .double($0) } ?? .null
      },
      .object("compact", compact, meaning: "Beside the camera.") { $0 },
      .init("minimal", .string) { .string($0.minimal) },
      .list("buttons", of: TouchButton.shape, meaning: "For pressButton; from iOS 17.") { $0.buttons },
      .list("rows", of: row, meaning: "Without a `card`.") { $0.rows },
      .init("cut", .whole, meaning: "Number of rows that do not fit.") { JSONValue($0.cut) },
    ])

  private static let compact = Shape<CardDrawing>(members: [
    .init("leading", .string) { .string($0.leading) }, .init("trailing", .string) { .string($0.trailing) },
  ])

  private static let row = Shape<Row>(members: [
    .init("key", .string) { .string($0.key) }, .init("value", .string) { .string($0.value) },
  ])

  /// The texts, progress and rows of a card.
  var json: JSONValue { Self.shape.json(self) }
}
