import Testing

@testable import HTTP2

@Suite("Which limit on streams is enforced") struct StreamLimitTests {
  @Test("Only the cap until the client has acknowledged a number") func untilAcknowledged() {
    var limit = StreamLimit(announced: 1, cap: 1000, strict: false)
    #expect(limit.enforced == 1000)
    limit.acknowledge()
    #expect(limit.enforced == 1)
  }

  @Test("A raised number holds at once, also before the first acknowledgement") func raised() {
    var limit = StreamLimit(announced: 1, cap: 1000, strict: false)
    limit.announce(500)
    limit.acknowledge()
    #expect(limit.enforced == 500)
    limit.acknowledge()
    #expect(limit.enforced == 500)
  }

  @Test("A lowered number holds when it is acknowledged") func lowered() {
    var limit = StreamLimit(announced: 1000, cap: 1000, strict: false)
    limit.acknowledge()
    limit.announce(1)
    #expect(limit.enforced == 1000)
    limit.acknowledge()
    #expect(limit.enforced == 1)
  }

  @Test("Strictly: what was announced last, at once") func strict() {
    var limit = StreamLimit(announced: 1, cap: 1000, strict: true)
    #expect(limit.enforced == 1)
    limit.announce(1000)
    #expect(limit.enforced == 1000)
    limit.announce(2)
    limit.acknowledge()
    limit.acknowledge()
    limit.acknowledge()
    #expect(limit.enforced == 2)
  }

  @Test("With immediate enforcement the limit falls and never rises, until a higher number is announced")
  func heldAtOnce() {
    var limit = StreamLimit(announced: 10, cap: 1000, strict: false)
    limit.acknowledge()
    limit.holdAtOnce(to: 500)
    #expect(limit.enforced == 10)
    limit.announce(100)
    limit.holdAtOnce(to: 5)
    #expect(limit.enforced == 5)
    limit.acknowledge()
    #expect(limit.enforced == 5)
    limit.announce(20)
    #expect(limit.enforced == 20)
  }

  @Test("An unexpected acknowledgement changes nothing; no number passes the cap") func oddities() {
    var limit = StreamLimit(announced: 5000, cap: 1000, strict: false)
    limit.acknowledge()
    limit.acknowledge()
    #expect(limit.enforced == 1000)
  }
}
