import Timeline

/// The spelling of values in files, bodies, queries, flags and environment variables.
package enum Values {
  /// Digits only: `Int` would accept a sign too.
  package static func whole(_ text: String) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  /// `5`, or a range such as `10..20` or `10..`.
  package static func count(_ text: String) -> ClosedRange<Int>? {
    if let number = whole(text) { return number...number }
    guard let (low, high) = ends(text), let low = whole(low) else { return nil }
    if high.isEmpty { return low...Int.max }
    guard let high = whole(high), high >= low else { return nil }
    return low...high
  }

  /// `90s`, or a range such as `1h..24h`.
  ///
  /// - Parameter longest: the upper bound of a range without an end, such as `1m..`; nil if such a range is invalid.
  package static func durations(_ text: String, longest: Duration? = nil) -> ClosedRange<Duration>? {
    if let single = DurationText.parse(text) { return single...single }
    guard let (low, high) = ends(text), let low = DurationText.parse(low) else { return nil }
    if high.isEmpty, let longest { return low...longest }
    guard let high = DurationText.parse(high), low <= high else { return nil }
    return low...high
  }

  private static func ends(_ text: String) -> (low: String, high: String)? {
    guard let dots = text.firstRange(of: "..") else { return nil }
    return (String(text[..<dots.lowerBound]), String(text[dots.upperBound...]))
  }
}
