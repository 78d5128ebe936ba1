/// Finds the word that a user probably meant.
package enum SpellingSuggestion {
  /// Longer words are compared only up to this length.
  private static let longest = 80

  /// Words of earlier versions, or of other places, and those that replace them.
  private static let replacements: [(former: String, word: String)] = [
    ("type", "pushType"), ("type", "attributesType"), ("to", "tokenKind"), ("kind", "tokenKind"), ("tokenKind", "kind"),
    ("id", "apnsId"), ("name", "event"), ("heal", "deleteFault"), ("state", "online"), ("removeFault", "deleteFault"),
    ("reports", "calls"), ("bundleId", "app"), ("app", "bundleId"), ("ptsToken", "pushToStartToken"),
    ("content", "contentState"), ("live", "liveactivity"), ("send", "push"),
  ]

  /// Minimum number of letters that a word and the beginning of another must share.
  private static let shortestBeginning = 3

  /// The word that replaced another one, or else the word with the smallest edit distance, if that is at most a
  /// third of its length. Ties go to a word that starts the same way. Without such a word, the one with the nearest
  /// length that begins or continues the text, such as `rotate` for `rotateToken`, or the replacement of a misspelled
  /// former word.
  package static func nearest(to text: String, among words: [String]) -> String? {
    if let known = replacements.first(where: { $0.former == text && words.contains($0.word) }) { return known.word }
    let wanted = Array(text.lowercased().utf8.prefix(longest))
    if let near = near(wanted, words) { return near }
    func excess(_ word: String) -> Int { abs(word.utf8.count - wanted.count) }
    let beginning = words.filter { sharesBeginning(wanted, $0) }.min { excess($0) < excess($1) }
    if let beginning { return beginning }
    let formers = replacements.filter { words.contains($0.word) && $0.former.utf8.count > shortestBeginning }
    guard let former = near(wanted, formers.map(\.former)) else { return nil }
    return formers.first { $0.former == former }?.word
  }

  /// True if one of them begins with the whole other one.
  private static func sharesBeginning(_ text: [UInt8], _ word: String) -> Bool {
    let word = Array(word.lowercased().utf8)
    let shared = zip(text, word).prefix { $0 == $1 }.map(\.0)
    let letters = shared.count { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 >= 0x80 }
    return shared.count == min(text.count, word.count) && letters >= shortestBeginning
  }

  private static func near(_ wanted: [UInt8], _ words: [String]) -> String? {
    let near = words.compactMap { word -> (word: String, distance: Int, shared: Int)? in
      let letters = Array(word.lowercased().utf8)
      let distance = distance(wanted, letters)
      guard distance <= max(1, letters.count / 3) else { return nil }
      return (word, distance, zip(wanted, letters).prefix { $0 == $1 }.count)
    }
    return near.min { ($0.distance, -$0.shared) < ($1.distance, -$1.shared) }?.word
  }

  /// Number of letters to insert, delete, change or swap with a neighbor (Damerau-Levenshtein, each letter once).
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
