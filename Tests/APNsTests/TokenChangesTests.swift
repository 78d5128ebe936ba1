import APNs
import Testing
import Timeline

@Suite("Changes of provider token")
struct TokenChangesTests {
  let window: Duration = .seconds(1200)

  private func present(_ changes: inout TokenChanges, _ digest: UInt64, _ second: Int64, allowed: Int = 1) -> Bool {
    changes.present(digest, at: Instant(seconds: second), allowed: allowed, window: window)
  }

  @Test("the first token is not a change, the second is one, a third within 20 minutes is one too many")
  func third() {
    var changes = TokenChanges()
    let answers = [
      present(&changes, 1, 0), present(&changes, 1, 1), present(&changes, 2, 2), present(&changes, 3, 3),
      present(&changes, 2, 4), present(&changes, 1, 5), present(&changes, 3, 6),
    ]
    #expect(answers == [true, true, true, false, true, true, false])
  }

  @Test("a refused token is checked again, and passes 20 minutes after the last change to the second")
  func windowMoves() {
    var changes = TokenChanges()
    _ = present(&changes, 1, 0)
    _ = present(&changes, 2, 100)
    let early = present(&changes, 3, 1299)
    let due = present(&changes, 3, 1300)
    let next = present(&changes, 4, 1301)
    #expect(!early && due && !next)
  }

  @Test("S8: a token every 20 minutes is never too many, one every 19 is")
  func steadyRefresh() {
    var steady = TokenChanges()
    let all = (0..<100).map { present(&steady, UInt64($0), $0 * 1200) }
    #expect(!all.contains(false))
    var hasty = TokenChanges()
    let some = (0..<4).map { present(&hasty, UInt64($0), $0 * 1140) }
    #expect(some == [true, true, false, true])
  }

  @Test("the number allowed is a setting")
  func allowed() {
    var changes = TokenChanges()
    let answers = (0..<5).map { present(&changes, UInt64($0), 0, allowed: 3) }
    #expect(answers == [true, true, true, true, false])
    var none = TokenChanges()
    let first = present(&none, 1, 0, allowed: 0)
    let second = present(&none, 2, 5000, allowed: 0)
    #expect(first && !second)
  }
}
