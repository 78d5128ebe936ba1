import WireFormats

/// The Dynamic Island, which an unlocked phone shows at its top.
struct IslandDrawing {
  private let screen: JSONValue
  /// Columns of the screen.
  private let room: Int

  private static let mostShown = 3
  /// Columns of a compact island, and of a minimal one.
  private static let compact = 30
  private static let minimal = 9

  init(_ screen: JSONValue, room: Int) {
    self.screen = screen
    self.room = room
  }

  /// Empty without an activity, and on a locked phone, which shows its cards instead.
  var lines: [StyledLine] {
    let island = screen["dynamicIsland"]
    let kind = island?["presentation"]?.string ?? "absent"
    guard kind != "absent", screen["locked"] != true else { return [] }
    let shown = island?["visible"] == true ? activities(island).prefix(Self.mostShown) : []
    guard let first = shown.first else { return centred(Box(width: 12).around([])) }
    switch kind {
    case "expanded": return centred(expanded(first))
    case "minimal": return centred(beside(shown.map(minimal)))
    default: return centred(beside([compact(first)] + shown.dropFirst().map(minimal)))
    }
  }

  /// The drawings of the activities in the island.
  private func activities(_ island: JSONValue?) -> [JSONValue] {
    let cards = screen["lockScreen"]?.elements ?? []
    return (island?["activities"]?.elements ?? []).compactMap { id in
      cards.first { $0["activity"] == id }?["drawn"]
    }
  }

  private func compact(_ drawn: JSONValue) -> [StyledLine] {
    let box = Box(width: Self.compact)
    let leading = cut(drawn["compact"]?["leading"], box.room / 2 - 1)
    let trailing = cut(drawn["compact"]?["trailing"], box.room / 2 - 1)
    let gap = box.room - TerminalText.width(leading) - TerminalText.width(trailing)
    return box.around([StyledLine(leading + String(repeating: " ", count: gap) + trailing, .bold)])
  }

  private func minimal(_ drawn: JSONValue) -> [StyledLine] {
    let box = Box(width: Self.minimal)
    return box.around([StyledLine(cut(drawn["minimal"], box.room), .bold)])
  }

  private func expanded(_ drawn: JSONValue) -> [StyledLine] {
    let box = Box(width: room - 8)
    let last = drawn["line"]?.string == nil ? drawn["compact"]?["trailing"] : drawn["line"]
    return box.around(
      [(drawn["title"], StyledLine.Style.plain), (drawn["big"], .bold), (last, .plain)].compactMap { value, style in
        let text = cut(value, box.room)
        return text.isEmpty ? nil : StyledLine(text, style)
      })
  }

  private func cut(_ value: JSONValue?, _ columns: Int) -> String {
    TerminalText.cut(TerminalText.clean(value?.string ?? ""), to: columns)
  }

  /// Drawings of the same height.
  private func beside(_ drawings: [[StyledLine]]) -> [StyledLine] {
    guard let first = drawings.first else { return [] }
    return first.indices.map { row in
      drawings.dropFirst().reduce(first[row]) { $0 + " " + $1[row] }
    }
  }

  private func centred(_ lines: [StyledLine]) -> [StyledLine] {
    lines.map { StyledLine(String(repeating: " ", count: max(0, (room - $0.width) / 2))) + $0 }
  }
}
