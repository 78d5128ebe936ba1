/// The first few causes of a failure, and their total number.
struct FailureSample<Element: Sendable>: Sendable {
  /// Number of causes that a failure shows.
  static var most: Int { 5 }

  private(set) var first: [Element] = []
  private(set) var count = 0

  mutating func add(_ element: Element) {
    count += 1
    if first.count < Self.most { first.append(element) }
  }

  /// A line for each, and one for the rest.
  func lines(_ words: (Element) -> String) -> [String] {
    first.map(words) + (count > first.count ? ["and \(count - first.count) more"] : [])
  }
}
