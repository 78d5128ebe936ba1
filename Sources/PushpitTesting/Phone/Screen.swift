extension Pushpit {
  /// The screen of a phone as a person would see it.
  public struct Screen: Sendable {
    /// As the admin API has it.
    public let raw: JSON

    public var isLocked: Bool { raw["locked"].bool ?? false }
    public var isLit: Bool { raw["lit"].bool ?? false }
    /// Newest first.
    public var notifications: [Notification] { (raw["notifications"].array ?? []).map { Notification(raw: $0) } }
    /// Live Activities on the Lock Screen.
    public var cards: [Card] { (raw["lockScreen"].array ?? []).map { Card(raw: $0) } }
    /// By bundle id; only apps that have one.
    public var badges: [String: Int] {
      let rows = raw["badges"].array ?? []
      return Dictionary(rows.map { ($0["app"].text, $0["badge"].int ?? 0) }) { first, _ in first }
    }
  }

  /// A notification in a phone's list.
  public struct Notification: Sendable {
    /// As the admin API has it.
    public let raw: JSON

    public var app: String { raw["app"].text }
    public var title: String { raw["title"].text }
    public var subtitle: String { raw["subtitle"].text }
    public var body: String { raw["body"].text }
    public var sound: String? { raw["sound"].string }
    /// True if the notification was shown as a banner.
    public var banner: Bool { raw["banner"].bool ?? false }
  }

  /// A Live Activity on the Lock Screen.
  public struct Card: Sendable {
    /// As the admin API has it.
    public let raw: JSON

    public var app: String { raw["app"].text }
    public var attributesType: String { raw["attributesType"].text }
    /// `prompting`, `active`, `stale` or `ended`.
    public var state: String { raw["state"].text }
    public var contentState: JSON { raw["contentState"] }
    public var attributes: JSON { raw["attributes"] }
  }
}

extension Pushpit.Screen {
  private static let words = ["cards", "card", "notifications", "notification", "badge"]

  /// Throws if a shape has no words, or unknown ones.
  static func check(_ shape: [String: JSON]) throws(PushpitError) {
    let unknown = shape.keys.sorted().first { !words.contains($0) }
    guard shape.isEmpty || unknown != nil else { return }
    let problem = unknown.map { "\"\($0)\" is none of them" } ?? "none was given"
    throw PushpitError(
      .expectation, "A screen is described by \(Self.words.joined(separator: ", ")); \(problem).")
  }

  /// The differences between the screen and a shape; empty if the screen matches it.
  func differences(from shape: [String: JSON]) -> [String] {
    var found = Self.differences("card", in: cards.map(\.raw), from: shape)
    found += Self.differences("notification", in: notifications.map(\.raw), from: shape)
    let badge = badges.values.reduce(0, +)
    if let wanted = shape["badge"], wanted.int != badge { found.append("badge is \(badge), not \(wanted)") }
    return found
  }

  /// The differences of the cards or the notifications: in their number, and in the one most similar to the wanted one.
  private static func differences(_ word: String, in rows: [JSON], from shape: [String: JSON]) -> [String] {
    var found: [String] = []
    if let wanted = shape["\(word)s"] { found += differences("\(word)s", number: rows.count, wanted) }
    guard let wanted = shape[word] else { return found }
    var nearest = ["there is no \(word)"]
    for (place, row) in rows.enumerated() {
      let those = differences(wanted, found: row, at: word)
      if place == 0 || those.count < nearest.count { nearest = those }
    }
    return found + nearest
  }

  private static func differences(_ place: String, number: Int, _ wanted: JSON) -> [String] {
    wanted.int == number ? [] : ["\(place) are \(number), not \(wanted)"]
  }

  /// Objects may have more members than wanted; lists and values must be equal.
  private static func differences(_ wanted: JSON, found: JSON, at place: String) -> [String] {
    guard let members = wanted.object, let present = found.object else {
      let isSame = wanted == found || wanted.double.map { $0 == found.double } ?? false
      return isSame ? [] : ["\(place) is \(found), not \(wanted)"]
    }
    return members.sorted { $0.key < $1.key }.flatMap { name, value in
      present[name].map { differences(value, found: $0, at: "\(place).\(name)") } ?? ["\(place).\(name) is missing"]
    }
  }
}
