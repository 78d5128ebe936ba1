import WireFormats

/// The screen of a phone in characters, from the answers of the admin API.
package struct PhoneDrawing: Sendable {
  /// Of `GET /v1/devices/{id}`.
  private let device: JSONValue
  /// Of `GET /v1/devices/{id}/screen`.
  private let screen: JSONValue

  /// Columns of the whole drawing.
  private static let width = 64
  private static let mostCards = 10
  private static let mostNotifications = 6
  /// Assumed: iOS shows four lines of a notification on the Lock Screen.
  private static let mostBodyLines = 4

  package init(device: JSONValue, screen: JSONValue) {
    self.device = device
    self.screen = screen
  }

  package var lines: [StyledLine] {
    let frame = Box(width: Self.width)
    let cards = screen["lockScreen"]?.elements ?? []
    let notifications = screen["notifications"]?.elements ?? []
    let isEmpty = cards.isEmpty && notifications.isEmpty
    var inside = IslandDrawing(screen, room: frame.room).lines + alert(frame.room)
    inside += cards.prefix(Self.mostCards).flatMap { card($0, frame.room) }
    inside += more(cards.count - Self.mostCards, "Live Activities")
    inside += notifications.prefix(Self.mostNotifications).flatMap { notification($0, frame.room) }
    inside += more(notifications.count - Self.mostNotifications, "notifications")
    if isEmpty { inside.append(StyledLine("Nothing on the screen.", .dim)) }
    return heading + frame.around(inside + footer(frame.room))
  }

  /// The device and its state.
  private var heading: [StyledLine] {
    func isOn(_ key: String) -> Bool { device[key] == .bool(true) }
    var states = [screen["locked"] == .bool(true) ? "locked" : "unlocked"]
    states.append(screen["lit"] == .bool(true) ? "screen on" : "screen off")
    states.append(isOn("online") ? "online" : "offline")
    for (key, text) in [
      ("focus", "Focus on"), ("lowPower", "Low Power Mode"), ("batteryLow", "battery low"), ("watch", "with a watch"),
    ] where isOn(key) {
      states.append(text)
    }
    if let count = device["storedPushes"]?.integer, count > 0 {
      states.append(count == 1 ? "1 push is stored for it" : "\(count) pushes are stored for it")
    }
    let id = device["id"]?.string ?? screen["device"]?.string ?? ""
    let name = TerminalText.cut(TerminalText.clean(id), to: Self.width / 2)
    let system = device["os"]?.string.map { "iOS \(TerminalText.clean($0)), " } ?? ""
    let indent = StyledLine(String(repeating: " ", count: TerminalText.width(name) + 2))
    let rest = TerminalText.wrapped(system + states.joined(separator: ", "), to: Self.width - indent.width)
    return rest.enumerated().map { $0 == 0 ? StyledLine(name, .bold) + "  " + StyledLine($1) : indent + StyledLine($1) }
  }

  /// The alert of a Live Activity that is shown right now.
  private func alert(_ width: Int) -> [StyledLine] {
    guard let alert = screen["alert"], alert.members != nil else { return [] }
    let kind = alert["presentation"]?.string ?? ""
    let box = Box(width: width, left: "alert of a Live Activity", right: alert["onWatch"] == true ? "watch" : kind)
    return box.around(
      text(alert["title"], room: box.room, style: .bold) + text(alert["body"], room: box.room, most: Self.mostBodyLines)
    )
  }

  private func card(_ card: JSONValue, _ width: Int) -> [StyledLine] {
    let state = card["state"]?.string ?? ""
    let box = Box(width: width, left: card["app"]?.string ?? "", right: state == "active" ? "" : state)
    var inside = CardLines(card, room: box.room).lines
    if let prompt = screen["prompt"], prompt.members != nil, prompt["activity"] == card["activity"] {
      inside += text(prompt["question"], room: box.room) + ["[ Allow ]  [ Don’t Allow ]"]
    }
    return box.around(inside)
  }

  private func notification(_ shown: JSONValue, _ width: Int) -> [StyledLine] {
    let time = (shown["at"]?.string ?? "").dropFirst(11).prefix(8)
    let banner = shown["banner"] == true ? "banner, " : shown["quiet"] == true ? "quiet, " : ""
    let level = shown["interruptionLevel"]?.string ?? "active"
    let box = Box(
      width: width, left: shown["app"]?.string ?? "", right: banner + (level == "active" ? "" : "\(level), ") + time)
    return box.around(
      text(shown["title"], room: box.room, style: .bold) + text(shown["subtitle"], room: box.room)
        + text(shown["body"], room: box.room, most: Self.mostBodyLines))
  }

  private func footer(_ room: Int) -> [StyledLine] {
    func list(_ key: String, name: String, _ write: (JSONValue) -> String) -> [StyledLine] {
      let texts = (screen[key]?.elements ?? []).map(write)
      guard !texts.isEmpty else { return [] }
      let label = TerminalText.padded(name, to: 9)
      let lines = TerminalText.wrapped(texts.joined(separator: ", "), to: room - label.count, most: 3)
      return lines.enumerated().map { StyledLine($0 == 0 ? label : "         ", .dim) + StyledLine($1) }
    }
    func app(_ value: JSONValue) -> String { value["app"]?.string ?? "" }
    return list("badges", name: "badges") { "\(app($0)) \($0["badge"]?.text ?? "")" }
      + list("sounds", name: "sounds") { $0.string ?? "" }
      + list("bells", name: "bells") { "\(app($0)) \($0["key"]?.string ?? ""): \($0["bell"]?.string ?? "")" }
  }

  private func more(_ count: Int, _ what: String) -> [StyledLine] {
    count > 0 ? [StyledLine("… and \(count) more \(what); --json has all", .dim)] : []
  }

  private func text(
    _ value: JSONValue?, room: Int, style: StyledLine.Style = .plain, most: Int = 2
  ) -> [StyledLine] {
    TerminalText.wrapped(value?.string ?? "", to: room, most: most).map { StyledLine($0, style) }
  }
}
