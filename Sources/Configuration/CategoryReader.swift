import Devices
import Grammar

/// Reads `categories` of an app: the actions of its notifications.
struct CategoryReader {
  let file: SettingsFile

  func read(_ node: SourceNode) throws(InputProblem) -> [NotificationCategory] {
    var categories: [NotificationCategory] = []
    for (name, value) in try file.names(node, "categories") {
      var category = NotificationCategory(name)
      for entry in try file.members(value, "categories.\(name)", known: ["buttons", "reply"]) {
        guard entry.key == "buttons" else {
          category.reply = try file.title(entry.value, "reply")
          continue
        }
        for (button, title) in try file.names(entry.value, "buttons") {
          category.buttons.append(TouchButton(button, title: try file.title(title, "buttons.\(button)")))
        }
      }
      categories.append(category)
    }
    return categories
  }
}

extension SettingsFile {
  /// A text that people see.
  func title(_ node: SourceNode, _ key: String) throws(InputProblem) -> String {
    let text = try scalar(node, key)
    guard !text.isEmpty else { throw InputProblem(node.place, "\(key) must have a title, such as Reply.") }
    return text
  }

  /// The entries of a mapping whose keys are names that the user chooses.
  func names(_ node: SourceNode, _ key: String) throws(InputProblem) -> [(name: String, value: SourceNode)] {
    guard let pairs = node.pairs else { throw InputProblem(node.place, "\(key) must have names and their values.") }
    var entries: [(name: String, value: SourceNode)] = []
    for (name, value) in pairs {
      guard let word = name.text, !word.isEmpty else {
        throw InputProblem(name.place, "a name in \(key) must be a word.")
      }
      entries.append((word, value))
    }
    return entries
  }
}
