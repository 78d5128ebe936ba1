import PushpitTesting

/// The difference between a result and the table's wish.
enum Mismatch {
  /// Nil if `found` has all that `wanted` has.
  static func find(_ wanted: JSON, _ found: JSON, _ place: String = "it") -> String? {
    if let count = wanted["$count"].int {
      return found.array?.count == count ? nil : "\(place) has \(found.array?.count ?? 0) rows, not \(count)"
    }
    if let pattern = wanted["$text"].string { return matches(pattern, found) ? nil : "\(place) is \(found)" }
    if !wanted["$any"].isNull {
      let fits = (found.array ?? []).contains { find(wanted["$any"], $0) == nil }
      return fits ? nil : "no row of \(place) fits: \(found)"
    }
    if let members = wanted.object, found.object != nil {
      return members.lazy.compactMap { find($0.value, found[$0.key], "\(place).\($0.key)") }.first
    }
    if let rows = wanted.array, let others = found.array, rows.count == others.count {
      return rows.indices.lazy.compactMap { find(rows[$0], others[$0], "\(place)[\($0)]") }.first
    }
    return wanted == found ? nil : "\(place) is \(found), not \(wanted)"
  }

  private static func matches(_ pattern: String, _ found: JSON) -> Bool {
    guard let expression = try? Regex(pattern) else { return false }
    return (found.string ?? found.description).contains(expression)
  }
}
