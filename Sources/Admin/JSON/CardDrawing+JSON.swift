import Devices
import WireFormats

extension CardDrawing {
  /// The texts, progress and rows of a card.
  var json: JSONValue {
    [
      "tint": JSONValue(tint), "title": .string(title), "big": JSONValue(big), "line": JSONValue(line),
      "progress": progress.map { .double($0) } ?? .null,
      "compact": ["leading": .string(leading), "trailing": .string(trailing)], "minimal": .string(minimal),
      "rows": .array(rows.map { ["key": .string($0.key), "value": .string($0.value)] }), "cut": JSONValue(cut),
    ]
  }
}
