/// The ids of a run's pushes: UUIDs whose last twelve digits are the push's number.
struct PushIDs {
  static let prefixCount = 24
  private static let digits = Array("0123456789abcdef".utf8)
  private var characters = InlineArray<36, UInt8>(repeating: UInt8(ascii: "0"))

  /// - Parameter prefix: `xxxxxxxx-xxxx-xxxx-xxxx-`.
  init(prefix: String) {
    for (index, character) in prefix.utf8.prefix(Self.prefixCount).enumerated() { characters[index] = character }
  }

  mutating func id(of number: UInt64) -> InlineArray<36, UInt8> {
    var left = number
    var place = 35
    while place >= Self.prefixCount {
      characters[place] = Self.digits[Int(left & 15)]
      left >>= 4
      place -= 1
    }
    return characters
  }
}
