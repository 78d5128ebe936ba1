/// Tokens as the first release made them.
///
/// Computed with the Python of `KeyedHashTests`, not copied from the Swift they judge: under the keys derived from
/// (seed, 7365616C) for "token proof", "token pad" and "token filler", a token is 80 for activities, the proof of the two
/// address words, the words under the pad of the proof, and SplitMix64 begun with the proof and the filler.
enum PinnedTokens {
  static let seed1: [String] = [
    "01e8f178440e442f8001dbbeac64f96211e43e04f3ce2160123f4789d888d820",
    "dee4c41ee3ecf837f88f8ab78d0afec98d338f34067cbde62b13ac485fde9a11",
    "19a6b03338a893301e0b011d363adf773a73a454660cbf98228d9485b89ed2a4",
    "80e2f1bcc51598f88f632ff9e95e999587dd9130191edb4d2f1dab0368e9b296ed480419bb5314a7"
      + "35c8e7aaab785375e98a7bcd4ed0aa445d8889a4dcb09d40ae56732ca0cd8884dbe6261266177c2d",
    "8009a337da602a16ce82fab8fe8d32fe23dd16dae74133b17b2ecbe35d4a7a80d98cea108a7ba0b3"
      + "3454e387a2c660bcc89057fb23b7ce5529514b73b541bd403bd2ac89aa1688aae1ce3c127b32fef7",
  ]
}
