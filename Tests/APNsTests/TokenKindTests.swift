import APNs
import Testing

@Suite("A kind of token")
struct TokenKindTests {
  @Test("S27: each has its own name, and is found by it")
  func names() {
    #expect(Set(TokenKind.allCases.map(\.name)).count == TokenKind.allCases.count)
    for kind in TokenKind.allCases { #expect(TokenKind(kind.name) == kind) }
    for name in ["", "Device", "push-to-start", "service", "liveactivity"] { #expect(TokenKind(name) == nil) }
  }

  @Test("a slot has its kind and the topic suffix of its token")
  func slots() {
    #expect(TokenSlot.app.kind == .device && TokenSlot.app.suffix == .none)
    #expect(TokenSlot.service(.voip).kind == .service(.voip) && TokenSlot.service(.voip).suffix == .voip)
    #expect(
      TokenSlot.pushToStart(type: 3).kind == .pushToStart && TokenSlot.pushToStart(type: 3).suffix == .liveActivity)
    #expect(TokenSlot.update(activity: 3).kind == .update && TokenSlot.update(activity: 3).suffix == .liveActivity)
  }
}
