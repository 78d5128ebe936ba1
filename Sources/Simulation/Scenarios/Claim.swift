/// What is said of the pushes, or of the reports, that an expectation means.
package enum Claim: Sendable {
  case count(ClosedRange<Int>)
  /// Each of them, and there is one.
  case all(Filter)
  case none(Filter)
  /// Seen at least once, whatever became of it afterwards.
  case sometimes(Filter)

  /// What is asked of those that are meant.
  var condition: Filter {
    switch self {
    case .count: Filter()
    case .all(let filter), .none(let filter), .sometimes(let filter): filter
    }
  }
}
