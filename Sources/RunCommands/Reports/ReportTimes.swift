import Timeline

/// Times as people read them, in UTC.
enum ReportTimes {
  /// `2026-11-27`.
  static func date(_ instant: Instant) -> String { String(instant.rfc3339.prefix(10)) }

  /// `11:56:22`.
  static func clock(_ instant: Instant) -> String { String(instant.rfc3339.dropFirst(11).prefix(8)) }

  /// `2026-11-27, 11:53:02 to 11:56:22 UTC`.
  static func span(_ first: Instant, _ last: Instant) -> String {
    let end = date(first) == date(last) ? clock(last) : "\(date(last)), \(clock(last))"
    return "\(date(first)), \(clock(first)) to \(end) UTC"
  }
}
