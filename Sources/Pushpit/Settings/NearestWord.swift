/// Finds what somebody probably meant.
enum NearestWord {
  /// The one of `words` that is fewest keystrokes away, if that is close enough to be a slip.
  static func to(_ word: String, among words: [String]) -> String? {
    let best = words.map { (word: $0, distance: distance(word.lowercased(), $0.lowercased())) }
      .min { $0.distance < $1.distance }
    guard let best, best.distance <= max(2, word.count / 3) else { return nil }
    return best.word
  }

  /// Letters to insert, delete or change (Levenshtein).
  private static func distance(_ left: String, _ right: String) -> Int {
    let target = Array(right)
    var row = Array(0...target.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in target.indices {
        let change = diagonal + (letter == target[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(change, diagonal + 1, row[column] + 1)
      }
    }
    return row[target.count]
  }
}
