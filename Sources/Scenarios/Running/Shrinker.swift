/// Finds a minimal subset that still fails: removing any element makes the failure disappear.
///
/// Delta debugging as in Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002.
package struct Shrinker {
  /// - Parameters:
  ///   - all: the elements that fail together.
  ///   - fails: whether the same failure occurs with some of them, given in order.
  /// - Returns: the minimal subset, in order; empty if it fails without any element.
  package static func smallest<Failure: Error>(
    of all: [String], fails: ([String]) throws(Failure) -> Bool
  ) throws(Failure) -> [String] {
    if all.isEmpty { return [] }
    if try fails([]) { return [] }
    var kept = all
    var parts = 2
    while kept.count > 1 {
      let size = (kept.count + parts - 1) / parts
      var smaller: [String]?
      for start in stride(from: 0, to: kept.count, by: size) {
        let end = min(start + size, kept.count)
        // The elements without one part; with two parts, that is the other part.
        let rest = Array(kept[..<start] + kept[end...])
        if try fails(rest) {
          smaller = rest
          break
        }
      }
      if let smaller {
        kept = smaller
        parts = max(parts - 1, 2)
      } else {
        guard parts < kept.count else { break }
        parts = min(parts * 2, kept.count)
      }
    }
    return kept
  }
}
