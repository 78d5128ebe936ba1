/// Window increments that are not sent to the client, by stream.
struct WithheldWindows {
  /// Approximate number of streams whose increments are remembered; beyond it, closed streams are dropped.
  private static let most = 64

  /// Nil while nothing is withheld.
  private var sums: [Int32: UInt32]?

  mutating func begin() { if sums == nil { sums = [:] } }

  /// - Returns: what was withheld, in the order of the streams.
  mutating func end() -> [(stream: Int32, increment: UInt32)] {
    defer { sums = nil }
    return (sums ?? [:]).sorted { $0.key < $1.key }.map { (stream: $0.key, increment: $0.value) }
  }

  /// A WINDOW_UPDATE is due.
  ///
  /// - Returns: true if it must not be sent.
  mutating func withhold(_ increment: UInt32, of stream: Int32, isOpen: (Int32) -> Bool) -> Bool {
    guard var sums else { return false }
    self.sums = nil
    sums[stream] = min((sums[stream] ?? 0) + increment, UInt32(Int32.max))
    if sums.count > Self.most { sums = sums.filter { $0.key == 0 || isOpen($0.key) } }
    self.sums = sums
    return true
  }
}
