extension Pushpit.Screen {
  /// Live Activities on the Lock Screen.
  public var cards: [Pushpit.Card] { (raw["lockScreen"].array ?? []).map(Pushpit.Card.init) }

  /// By bundle id; only apps that have one.
  public var badges: [String: Int] {
    let rows = raw["badges"].array ?? []
    return Dictionary(rows.map { ($0["app"].text, $0["badge"].int ?? 0) }) { first, _ in first }
  }
}
