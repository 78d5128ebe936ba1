import Testing
import Timeline

@testable import APNs

@Suite("The memory of verified tokens")
struct ProviderTokenCacheTests {
  private func recalls(_ memory: inout ProviderTokenCache, _ digest: UInt64, _ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return memory.recall(digest, bytes.span, 0..<bytes.count) != nil
  }

  private func remember(_ memory: inout ProviderTokenCache, _ digest: UInt64, _ text: String) {
    memory.remember(digest, Array(text.utf8), keyNumber: Int(digest), issuedAt: Instant(seconds: Int64(digest)))
  }

  @Test("returns the tokens that were stored, and no others")
  func recallsWhatItKnows() {
    var memory = ProviderTokenCache(capacity: 3)
    #expect(!recalls(&memory, 1, "one"))
    remember(&memory, 1, "one")
    let bytes = Array("xonex".utf8)
    let entry = memory.recall(1, bytes.span, 1..<4)
    #expect(entry?.keyNumber == 1 && entry?.issuedAt == Instant(seconds: 1))
    #expect(!recalls(&memory, 2, "one"))
  }

  @Test("equal digests of different texts find no token")
  func digestsMayCollide() {
    var memory = ProviderTokenCache(capacity: 3)
    remember(&memory, 1, "one")
    #expect(!recalls(&memory, 1, "two") && !recalls(&memory, 1, "on") && !recalls(&memory, 1, "onee"))
    remember(&memory, 1, "two")
    #expect(recalls(&memory, 1, "two") && !recalls(&memory, 1, "one"))
    #expect(memory.count == 1)
  }

  @Test("is bounded: the least recently used token is removed first")
  func bounded() {
    var memory = ProviderTokenCache(capacity: 3)
    for digest: UInt64 in 1...3 { remember(&memory, digest, "\(digest)") }
    #expect(recalls(&memory, 1, "1"))
    remember(&memory, 4, "4")
    #expect(memory.count == 3)
    #expect(
      recalls(&memory, 1, "1") && !recalls(&memory, 2, "2") && recalls(&memory, 3, "3") && recalls(&memory, 4, "4"))
    for digest: UInt64 in 5...1000 { remember(&memory, digest, "\(digest)") }
    #expect(memory.count == 3)
    #expect(recalls(&memory, 998, "998") && recalls(&memory, 999, "999") && recalls(&memory, 1000, "1000"))
  }

  @Test("of a gatekeeper stays bounded when every push has a new token")
  func gatekeepersIsBounded() throws {
    var gate = try Gate { $0.tokenUpdatesAllowed = 1_000_000 }
    for count in 0..<1500 {
      gate.reconnect()
      #expect(gate.reason(JWT(issuedAt: String(Gate.now.wall.seconds - Int64(count)))) == nil)
    }
    #expect(gate.validator.memory.count == 1024)
  }
}
