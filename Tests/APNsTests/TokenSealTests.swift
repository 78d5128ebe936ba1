import APNs
import TestSupport
import Testing

@Suite("The token seal")
struct TokenSealTests {
  let seal = TokenSeal(seed: 1)
  static let sizes = TokenSizes()

  private func address(_ device: UInt32, _ slot: TokenSlot, app: Int = 0, generation: UInt32 = 0) -> Address {
    Address(device: DeviceID(device), app: app, slot: slot, generation: generation)
  }

  private func opened(_ token: DeviceToken, _ sizes: TokenSizes = sizes) -> Address? {
    seal.address(of: token) { $0 < 64 ? sizes : nil }
  }

  /// Backends keep these in their databases between runs. They must never change between releases.
  @Test("the tokens of seed 1 never change")
  func pinned() {
    let texts = [
      address(0, .app), address(17, .app, app: 1, generation: 2), address(17, .service(.voip)),
      address(17, .pushToStart(type: 0)), address(17, .update(activity: 3)),
    ].map { seal.token(for: $0, sizes: Self.sizes).text }
    #expect(texts == PinnedTokens.seed1)
  }

  @Test("S59: 64 digits for apps, 160 beginning with 80 for activities, all lower case")
  func shapes() {
    for slot: TokenSlot in [.app, .service(.voip)] {
      let text = seal.token(for: address(5, slot), sizes: Self.sizes).text
      #expect(text.count == 64 && text == text.lowercased())
    }
    for slot: TokenSlot in [.pushToStart(type: 0), .update(activity: 0)] {
      let text = seal.token(for: address(5, slot), sizes: Self.sizes).text
      #expect(text.count == 160 && text.hasPrefix("80") && text == text.lowercased())
    }
  }

  @Test("S27: the tokens of one install's slots are unrelated, and each is read back with its own kind")
  func kindsDiffer() {
    let slots: [TokenSlot] =
      [.app, .pushToStart(type: 0), .pushToStart(type: 1), .update(activity: 0), .update(activity: 1)]
      + TokenKind.services.map { .service($0) }
    let tokens = slots.map { seal.token(for: address(5, $0), sizes: Self.sizes) }
    #expect(Set(tokens.map { $0.text.suffix(32) }).count == slots.count)
    for (slot, token) in zip(slots, tokens) { #expect(opened(token)?.slot == slot) }
  }

  @Test("the second byte of every token is the partition of its device: its number modulo 256")
  func partition() {
    for number: UInt32 in [0, 1, 255, 256, 300, 9_999_999] {
      for slot: TokenSlot in [.app, .service(.voip), .pushToStart(type: 0), .update(activity: 7)] {
        let token = seal.token(for: address(number, slot), sizes: Self.sizes)
        #expect(token.bytes[1] == UInt8(number % 256), "\(number) \(slot)")
        #expect(opened(token) == address(number, slot))
      }
    }
  }

  @Test("a sealed address is opened at any size of token")
  func roundTrip() {
    for seed: UInt64 in 0..<2000 {
      var dice = Dice(seed: seed)
      let slot: TokenSlot =
        switch dice.below(4) {
        case 0: .app
        case 1: .service(TokenKind.services[dice.below(TokenKind.services.count)])
        case 2: .pushToStart(type: dice.below(1000))
        default: .update(activity: UInt32(truncatingIfNeeded: dice.bits()))
        }
      let address = address(
        UInt32(truncatingIfNeeded: dice.bits()), slot, app: dice.below(64),
        generation: UInt32(truncatingIfNeeded: dice.bits()))
      let sizes = TokenSizes(app: 32 + dice.below(97), liveActivity: 33 + dice.below(96))
      let seal = TokenSeal(seed: dice.bits())
      let token = seal.token(for: address, sizes: sizes)
      #expect(token.count == (slot.isLiveActivity ? sizes.liveActivity : sizes.app), "seed \(seed)")
      #expect(seal.address(of: token) { _ in sizes } == address, "seed \(seed)")
    }
  }

  @Test("one flipped bit, anywhere, makes a token unknown")
  func everyBitCounts() {
    for (slot, sizes) in [
      (TokenSlot.app, TokenSizes()), (.service(.voip), TokenSizes(app: 100)), (.update(activity: 7), TokenSizes()),
      (.pushToStart(type: 0), TokenSizes(liveActivity: 33)),
    ] {
      let token = seal.token(for: address(12_345, slot, generation: 1), sizes: sizes)
      let bytes = (0..<token.count).map { token.bytes[$0] }
      #expect(opened(token, sizes) != nil)
      for bit in 0..<(8 * bytes.count) {
        var other = bytes
        other[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(opened(DeviceToken(bytes: other), sizes) == nil, "bit \(bit) of \(slot)")
      }
    }
  }

  @Test("a token that is shortened, lengthened, resized, from another seed or random is unknown")
  func unknownTokens() {
    let token = seal.token(for: address(1, .update(activity: 0)), sizes: Self.sizes)
    let bytes = (0..<token.count).map { token.bytes[$0] }
    for count in 0..<80 { #expect(opened(DeviceToken(bytes: Array(bytes.prefix(count)))) == nil, "\(count) bytes") }
    #expect(opened(DeviceToken(bytes: bytes + [0])) == nil)
    #expect(opened(token, TokenSizes(liveActivity: 81)) == nil)
    #expect(TokenSeal(seed: 2).address(of: token) { _ in Self.sizes } == nil)
    #expect(seal.address(of: token) { _ in nil } == nil)
    for seed: UInt64 in 0..<2000 {
      var dice = Dice(seed: seed)
      #expect(opened(DeviceToken(bytes: dice.bytes([32, 80][dice.below(2)]))) == nil, "seed \(seed)")
    }
  }

  @Test("S46: no two addresses have the same token")
  func allDiffer() {
    var texts: Set<String> = []
    for device: UInt32 in 0..<500 {
      for generation: UInt32 in 0..<4 {
        for slot: TokenSlot in [.app, .update(activity: 0), .update(activity: 1)] {
          texts.insert(seal.token(for: address(device, slot, generation: generation), sizes: Self.sizes).text)
        }
      }
    }
    #expect(texts.count == 500 * 4 * 3)
  }
}
