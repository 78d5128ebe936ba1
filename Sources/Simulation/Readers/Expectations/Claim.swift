/// The claim of an expectation about the pushes or reports that its filter selects.
package enum Claim: Sendable {
  case count(ClosedRange<Int>)
  /// All of them, and at least one.
  case all(Filter)
  case none(Filter)
  /// At least one at some time, whatever its later fate.
  case sometimes(Filter)

  /// The condition for the matching ones.
  package var condition: Filter {
    switch self {
    case .count: Filter()
    case .all(let filter), .none(let filter), .sometimes(let filter): filter
    }
  }
}
