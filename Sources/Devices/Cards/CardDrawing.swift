import WireFormats

/// The texts of a card: by the template of its type, or else the keys and values of its content.
package struct CardDrawing: Hashable, Sendable {
  package struct Row: Hashable, Sendable {
    package let key: String
    package let value: String
  }

  package let tint: String?
  package let title: String
  package let big: String?
  package let line: String?
  /// From 0 to 1.
  package let progress: Double?
  package let leading: String
  package let trailing: String
  package let minimal: String
  package let buttons: [TouchButton]
  /// Without a template.
  package let rows: [Row]
  /// Number of rows that do not fit.
  package let cut: Int

  /// Documented: a card on the Lock Screen is cut at 160 points. A title of 28 points and rows of 18 fit seven times.
  package static let mostRows = 7
  /// Number of characters of a text that are drawn; Apple cuts texts too, at the width of the screen.
  private static let mostCharacters = 120
  /// Assumed: what fits beside the camera.
  private static let mostCompact = 12

  /// - Parameter hasButtons: false on a version of iOS that draws none.
  package init(
    _ template: CardTemplate?, type: String, attributes: JSONValue?, state: JSONValue?, hasButtons: Bool = true
  ) {
    let all = template == nil ? Self.rows(state, "") + Self.rows(attributes, "") : []
    rows = Array(all.prefix(Self.mostRows))
    cut = all.count - rows.count
    tint = template?.tint
    title = template.map { $0.title?.drawn(attributes, state) ?? "" } ?? type
    big = template?.big?.drawn(attributes, state)
    line = template?.line?.drawn(attributes, state)
    progress = template?.progress?.drawn(attributes, state)
    let first = String(all.first?.value.prefix(Self.mostCompact) ?? "")
    leading = template.map { $0.leading?.drawn(attributes, state) ?? "" } ?? String(type.prefix(Self.mostCompact))
    trailing = template.map { $0.trailing?.drawn(attributes, state) ?? "" } ?? first
    buttons =
      hasButtons
      ? template?.buttons.map { TouchButton($0.name, title: $0.title.drawn(attributes, state)) } ?? [] : []
    minimal = template.map { $0.minimal?.drawn(attributes, state) ?? "" } ?? first
  }

  /// A value as a person sees it; a dash for none.
  static func text(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null?: "–"
    case .string(let text)?: text
    case .double(let number)? where number == number.rounded() && abs(number) < 1e15: "\(Int64(number))"
    case let value?: value.text
    }
  }

  static func cut(_ text: String) -> String {
    text.count <= mostCharacters ? text : String(text.prefix(mostCharacters - 1)) + "…"
  }

  /// Objects are opened; lists are shown as JSON.
  private static func rows(_ value: JSONValue?, _ prefix: String) -> [Row] {
    guard let members = value?.members else { return [] }
    return members.flatMap { member -> [Row] in
      let key = prefix + member.key
      if member.value.members != nil { return rows(member.value, key + ".") }
      return [Row(key: cut(key), value: cut(text(member.value)))]
    }
  }
}
