/// Finds the word that a user probably meant.
package enum SpellingSuggestion {
  /// Longer words are compared only up to this length.
  private static let longest = 80

  /// Words of earlier versions, or of other places, and those that replace them.
  private static let replacements: [(former: String, word: String)] = [
    ("type", "pushType"), ("type", "attributesType"), ("to", "tokenKind"), ("kind", "tokenKind"), ("tokenKind", "kind"),
    ("id", "apnsId"), ("name", "event"), ("heal", "deleteFault"), ("state", "online"), ("removeFault", "deleteFault"),
    ("reports", "calls"), ("bundleId", "app"), ("app", "bundleId"), ("ptsToken", "pushToStartToken"),
    ("content", "contentState"), ("live", "liveactivity"),
  ]

  /// The word that replaced another one, or else the word with the smallest edit distance, if that is at most a
  /// third of its length. Ties go to a word that starts the same way.
  package static func nearest(to text: String, among words: [String]) -> String? {
    if let known = replacements.first(where: { $0.former == text && words.contains($0.word) }) { return known.word }
    let wanted = Array(text.lowercased().utf8.prefix(longest))
    let near = words.compactMap { word -> (word: String, distance: Int, shared: Int)? in
      let letters = Array(word.lowercased().utf8)
      let distance = distance(wanted, letters)
      guard distance <= max(1, letters.count / 3) else { return nil }
      return (word, distance, zip(wanted, letters).prefix { $0 == $1 }.count)
    }
    return near.min { ($0.distance, -$0.shared) < ($1.distance, -$1.shared) }?.word
  }

  /// Number of letters to insert, delete, change or swap with a neighbour (Damerau-Levenshtein, each letter once).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var before: [Int] = []
    var above = Array(0...right.count)
    for (line, letter) in left.enumerated() {
      var row = [line + 1]
      for column in right.indices {
        var least = min(above[column] + (letter == right[column] ? 0 : 1), above[column + 1] + 1, row[column] + 1)
        if line > 0, column > 0, letter == right[column - 1], left[line - 1] == right[column] {
          least = min(least, before[column - 1] + 1)
        }
        row.append(least)
      }
      (before, above) = (above, row)
    }
    return above[right.count]
  }
}
