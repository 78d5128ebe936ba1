/// The rules in their order, parted before the first that asks a phone.
struct RuleOrder: Sendable {
  let examined: [Rule]
  /// The first that asks a phone, and all behind it, whatever they ask.
  let rest: [Rule]
  /// Whether all of these ask a phone.
  let asksOnlyPhones: Bool

  init(_ order: [Rule]) {
    let place = order.firstIndex(where: \.asksPhone) ?? order.count
    examined = Array(order[..<place])
    rest = Array(order[place...])
    asksOnlyPhones = rest.allSatisfy(\.asksPhone)
  }
}
