import Devices
import Grammar

/// Reads `card` of an attributes type: how its Live Activities are drawn.
struct CardReader {
  let file: SettingsFile

  func read(_ node: SourceNode) throws(InputProblem) -> CardTemplate {
    var card = CardTemplate()
    for entry in try file.members(node, "card", known: ["tint", "lockScreen", "compact", "minimal", "link", "buttons"])
    {
      let (key, value) = (entry.key, entry.value)
      switch key {
      case "tint": card.tint = try tint(value)
      case "lockScreen": try readLockScreen(value, into: &card)
      case "compact":
        for side in try file.members(value, "compact", known: ["leading", "trailing"]) {
          let drawn = try text(side.value, side.key)
          if side.key == "leading" { card.leading = drawn } else { card.trailing = drawn }
        }
      case "link": card.link = try text(value, key)
      case "buttons":
        for (name, title) in try file.names(value, "buttons") {
          _ = try file.title(title, "buttons.\(name)")
          card.buttons.append(.init(name, title: try text(title, "buttons.\(name)")))
        }
      default: card.minimal = try text(value, key)
      }
    }
    return card
  }

  private func readLockScreen(_ node: SourceNode, into card: inout CardTemplate) throws(InputProblem) {
    for entry in try file.members(node, "lockScreen", known: ["title", "big", "line", "progress"]) {
      let (key, value) = (entry.key, entry.value)
      switch key {
      case "title": card.title = try text(value, key)
      case "big": card.big = try text(value, key)
      case "line": card.line = try text(value, key)
      default: card.progress = try progress(value)
      }
    }
  }

  private func text(_ node: SourceNode, _ key: String) throws(InputProblem) -> CardText {
    let text = try file.scalar(node, key)
    do {
      return try CardText(text)
    } catch {
      throw InputProblem(node.place, "\(key): \(error.sentence).")
    }
  }

  private func progress(_ node: SourceNode) throws(InputProblem) -> CardProgress {
    let text = try file.scalar(node, "progress")
    guard let progress = CardProgress(text) else {
      throw InputProblem(
        node.place, "progress must be a key path such as state.share, or state.overs/50, not \"\(text)\".")
    }
    return progress
  }

  private func tint(_ node: SourceNode) throws(InputProblem) -> String {
    let text = try file.scalar(node, "tint")
    let digits = text.utf8.dropFirst()
    guard text.first == "#", digits.count == 6, digits.allSatisfy({ Self.hexDigits.contains($0) }) else {
      throw InputProblem(node.place, "tint must be a colour such as \"#0a7d3b\", in quotes, not \"\(text)\".")
    }
    return text.lowercased()
  }

  private static let hexDigits = Set("0123456789abcdefABCDEF".utf8)
}
