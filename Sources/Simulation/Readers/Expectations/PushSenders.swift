/// The steps of a scenario that sent pushes: runs of numbers of pushes, in order.
///
/// Asked only about pushes that the push log keeps, it keeps as many runs as that has pushes.
struct PushSenders: Sendable {
  private struct Run: Sendable {
    let first: UInt64
    var last: UInt64
    let step: Int
  }

  private var runs: [Run] = []

  /// Number of runs kept.
  var count: Int { runs.count }

  /// - Parameter most: number of pushes that the push log keeps.
  @inline(__always)
  mutating func add(_ number: UInt64, of step: Int, keeping most: Int) {
    if let end = runs.indices.last, runs[end].step == step, runs[end].last + 1 == number {
      runs[end].last = number
      return
    }
    // Twice as many, so that the array is moved only now and then.
    if runs.count >= 2 * most { runs.removeFirst(runs.count - most) }
    runs.append(Run(first: number, last: number, step: step))
  }

  /// The step that sent a push; nil if no step did.
  func step(of number: UInt64) -> Int? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].last < number { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].first <= number ? runs[low].step : nil
  }
}
