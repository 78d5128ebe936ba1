/// Random bits for random tests, by the seed that a failing test prints (SplitMix64).
package struct Dice {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func bits() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  package mutating func below(_ bound: Int) -> Int { Int(bits() % UInt64(bound)) }

  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: bits()) } }

  package mutating func letters(_ count: Int) -> String {
    String(decoding: (0..<count).map { _ in UInt8(97 + below(26)) }, as: UTF8.self)
  }
}
