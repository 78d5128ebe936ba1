/// Finds what somebody probably meant to write.
package enum Spelling {
  /// Longer words are not compared to their end.
  private static let longest = 80

  /// The word with the fewest letters different, when these are at most a third of it; of several, the one that begins
  /// like it.
  package static func nearest(to text: String, among words: [String]) -> String? {
    let wanted = Array(text.lowercased().utf8.prefix(longest))
    let near = words.compactMap { word -> (word: String, distance: Int, shared: Int)? in
      let letters = Array(word.lowercased().utf8)
      let distance = distance(wanted, letters)
      guard distance <= max(1, letters.count / 3) else { return nil }
      return (word, distance, zip(wanted, letters).prefix { $0 == $1 }.count)
    }
    return near.min { ($0.distance, -$0.shared) < ($1.distance, -$1.shared) }?.word
  }

  /// Letters to insert, drop or change (Levenshtein).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (line, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in right.indices {
        let change = diagonal + (letter == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, diagonal + 1, row[column] + 1)
      }
    }
    return row[right.count]
  }
}
