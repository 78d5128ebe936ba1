import WireFormats

/// The template of a Live Activity's card, as a profile declares it: plain texts with key paths of the attributes and
/// the content state.
package struct CardTemplate: Hashable, Sendable {
  /// `#rrggbb`
  package var tint: String?
  package var title: CardText?
  package var big: CardText?
  package var line: CardText?
  package var progress: CardProgress?
  /// Left and right of the camera in the Dynamic Island.
  package var leading: CardText?
  package var trailing: CardText?
  package var minimal: CardText?
  /// The URL with which a tap on the card opens the app.
  package var link: CardText?
  package var buttons: [Button] = []

  package struct Button: Hashable, Sendable {
    package let name: String
    package let title: CardText

    package init(_ name: String, title: CardText) {
      self.name = name
      self.title = title
    }
  }

  package init() {}
}

/// A key path within the attributes or the content state, such as `state.score.home`.
package struct CardPath: Hashable, Sendable {
  package enum Root: String, CaseIterable, Hashable, Sendable {
    case attributes
    case state
  }

  package let root: Root
  package let keys: [String]

  /// Nil if the text is not such a path.
  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, let root = parts.first.flatMap({ Root(rawValue: $0) }), !parts.contains("") else {
      return nil
    }
    self.root = root
    keys = Array(parts.dropFirst())
  }

  func value(_ attributes: JSONValue?, _ state: JSONValue?) -> JSONValue? {
    keys.reduce(root == .attributes ? attributes : state) { value, key in value?[key] }
  }
}

/// A text with key paths in braces.
package struct CardText: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case path(CardPath)
  }

  private let parts: [Part]

  /// A syntax error in a text.
  package enum Flaw: Error, Hashable, Sendable {
    case openBrace
    case closeBrace
    case badPath(String)

    package var sentence: String {
      switch self {
      case .openBrace: "a { has no } after it"
      case .closeBrace: "a } has no { before it"
      case .badPath(let path):
        "{\(path)} must be a key path such as {attributes.home} or {state.score}"
      }
    }
  }

  package init(_ text: String) throws(Flaw) {
    var parts: [Part] = []
    var rest = text[...]
    while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      guard rest[brace] == "{" else { throw .closeBrace }
      guard let end = rest[brace...].firstIndex(of: "}") else { throw .openBrace }
      let inside = rest[rest.index(after: brace)..<end]
      guard let path = CardPath(String(inside)) else { throw .badPath(String(inside)) }
      if brace > rest.startIndex { parts.append(.text(String(rest[..<brace]))) }
      parts.append(.path(path))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.text(String(rest))) }
    self.parts = parts
  }

  package var paths: [CardPath] {
    parts.compactMap { if case .path(let path) = $0 { path } else { nil } }
  }

  func drawn(_ attributes: JSONValue?, _ state: JSONValue?) -> String { CardDrawing.cut(text(attributes, state)) }

  /// The text in full.
  package func text(_ attributes: JSONValue?, _ state: JSONValue?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .path(let path): CardDrawing.text(path.value(attributes, state))
      }
    }.joined()
  }
}

/// A share from 0 to 1, such as `state.overs/50`.
package struct CardProgress: Hashable, Sendable {
  package let path: CardPath
  private let whole: Double

  /// Nil if the text is not a key path, or a key path and a positive number with a slash between.
  package init?(_ text: String) {
    let halves = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = CardPath(String(halves[0])) else { return nil }
    self.path = path
    guard halves.count > 1 else {
      whole = 1
      return
    }
    guard let number = Double(halves[1]), number > 0, number.isFinite else { return nil }
    whole = number
  }

  /// Nil without a number at the path.
  func drawn(_ attributes: JSONValue?, _ state: JSONValue?) -> Double? {
    let value = path.value(attributes, state)
    guard let number = value?.number ?? value?.string.flatMap(Double.init), number.isFinite else { return nil }
    return min(max(number / whole, 0), 1)
  }
}
