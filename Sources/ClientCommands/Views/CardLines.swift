import WireFormats

/// The card of a Live Activity, from `drawn` of the screen.
struct CardLines {
  private let card: JSONValue
  private let room: Int

  private static let mostRows = 7

  init(_ card: JSONValue, room: Int) {
    self.card = card
    self.room = room
  }

  var lines: [StyledLine] {
    guard let drawn = card["drawn"], drawn.members != nil else { return text(card["attributesType"], .bold) }
    var lines = text(drawn["title"]) + text(drawn["big"], .bold) + text(drawn["line"])
    if let share = drawn["progress"]?.number { lines.append(bar(share)) }
    let rows = drawn["rows"]?.elements ?? []
    let keys = rows.prefix(Self.mostRows).map { TerminalText.clean($0["key"]?.string ?? "") }
    let wide = min(keys.map { TerminalText.width($0) }.max() ?? 0, room / 2)
    for (key, row) in zip(keys, rows) {
      let value = TerminalText.clean(row["value"]?.string ?? "")
      lines.append(
        StyledLine(TerminalText.padded(TerminalText.cut(key, to: wide), to: wide) + "  ", .dim)
          + StyledLine(TerminalText.cut(value, to: room - wide - 2)))
    }
    let cut = Double(max(0, rows.count - Self.mostRows)) + (drawn["cut"]?.number ?? 0)
    if let cut = Int(exactly: cut), cut > 0 { lines.append(StyledLine("… \(cut) more, cut at 160 points", .dim)) }
    return lines + remarks
  }

  private var remarks: [StyledLine] {
    var remarks: [StyledLine] = []
    if let coming = card["notDrawnYet"], coming.members != nil {
      let time = (coming["drawnAt"]?.string).map { "at " + $0.dropFirst(11).prefix(8) } ?? "at an unknown time"
      remarks.append(StyledLine("Newer content is drawn \(TerminalText.clean(time)).", .dim))
    }
    if card["imagesMissing"] == true { remarks.append(StyledLine("Images are missing.", .dim)) }
    return remarks
  }

  private func text(_ value: JSONValue?, _ style: StyledLine.Style = .plain) -> [StyledLine] {
    TerminalText.wrapped(value?.string ?? "", to: room, most: 2).map { StyledLine($0, style) }
  }

  /// A share from 0 to 1 as a bar; other numbers are drawn as empty or full.
  private func bar(_ share: Double) -> StyledLine {
    let share = share.isFinite ? min(1, max(0, share)) : 0
    let columns = room - 6
    let full = Int((share * Double(columns)).rounded())
    let percent = "\(Int((share * 100).rounded()))%"
    return StyledLine(String(repeating: "━", count: full), .bold)
      + StyledLine(String(repeating: "─", count: columns - full), .dim)
      + StyledLine(String(repeating: " ", count: 6 - percent.count) + percent)
  }
}
