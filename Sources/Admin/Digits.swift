/// Whole numbers as people write them: digits and nothing else. `Int` would take a sign too.
enum Digits {
  /// Most digits: any such number fits 64 bits and has room to be reckoned with.
  private static let most = 12

  static func read(_ text: some StringProtocol) -> Int? {
    guard (1...most).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }
}
