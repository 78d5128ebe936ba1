/// What an expectation requires of its numbers: those of one process, or the merged ones of all cells.
package struct Requirement: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// So many of them.
    case count
    /// So many that satisfy the condition.
    case metCount
    /// All of them, and at least one.
    case all
    case none
    /// At least one at some time.
    case sometimes
    /// Names in an order.
    case ordered
    /// All delays, at least one, and none that is overdue.
    case delays
    /// At least one delay.
    case someDelays
  }

  let kind: Kind
  /// How many are required; nil for any number.
  var range: ClosedRange<Int>?
  /// What is found if there was nothing to test.
  var nothing: String?
  /// The ordered names.
  var names: [String] = []

  /// Whether the numbers are right, and what they are in words.
  package func judge(_ figures: Figures) -> (passed: Bool, found: String) {
    let (meant, met) = (figures.meant, figures.met)
    let share = "\(met) of \(meant)"
    switch kind {
    case .count: return (range?.contains(meant) ?? true, "\(meant)")
    case .metCount: return (range?.contains(met) ?? true, share)
    case .all: return (meant > 0 && met == meant, meant == 0 ? nothing ?? share : share)
    case .none: return (met == 0, share)
    // Counting stops once one was seen.
    case .sometimes: return (figures.isSeen, figures.isSeen ? "at least one" : nothing ?? "none of \(meant)")
    case .ordered:
      let missing = figures.reached < names.count ? names[figures.reached] : ""
      let found = figures.reached == 0 ? "none of them" : names.prefix(figures.reached).joined(separator: ", then ")
      return (figures.reached == names.count, found + "; then no \(missing)")
    case .delays:
      var found = meant == 0 ? nothing ?? share : share
      if figures.overdue > 0 {
        found += "; and \(figures.overdue == 1 ? "one interval has" : "\(figures.overdue) intervals have") not ended"
      }
      return (meant > 0 && met == meant && figures.overdue == 0 && range?.contains(met) ?? true, found)
    case .someDelays: return (met > 0 && range?.contains(met) ?? true, met == 0 ? "none of \(meant)" : share)
    }
  }

  /// The part of a cell, in few words.
  package func part(_ figures: Figures) -> String {
    switch kind {
    case .count: "\(figures.meant)"
    case .sometimes: figures.isSeen ? "seen" : "none"
    case .ordered: "\(figures.reached) of \(names.count)"
    case .metCount, .all, .none, .delays, .someDelays: "\(figures.met) of \(figures.meant)"
    }
  }

  /// What a claim about pushes, calls or broadcasts requires.
  ///
  /// - Parameter noun: one of them.
  init(_ claim: Claim, _ noun: String) {
    switch claim {
    case .count(let range): self.init(kind: .count, range: range)
    case .all: self.init(kind: .all, nothing: "no such \(noun), so nothing was tested")
    case .none: self.init(kind: .none)
    case .sometimes: self.init(kind: .sometimes)
    }
  }

  init(kind: Kind, range: ClosedRange<Int>? = nil, nothing: String? = nil, names: [String] = []) {
    self.kind = kind
    self.range = range
    self.nothing = nothing
    self.names = names
  }
}
