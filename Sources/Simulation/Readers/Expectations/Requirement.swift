/// The requirement of an expectation on its figures: those of one process, or the merged ones of all cells.
package struct Requirement: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    /// The number selected is in `range`.
    case count
    /// The number satisfied is in `range`.
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
  /// The permitted numbers; nil for any number.
  var range: ClosedRange<Int>?
  /// The result in words if nothing was selected; nil to show the numbers.
  var nothing: String?
  /// The ordered names.
  var names: [String] = []

  /// Returns true if the figures satisfy the requirement, and the figures in words.
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

  /// The requirement of a claim about pushes, calls or broadcasts.
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
