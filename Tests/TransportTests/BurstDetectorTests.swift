import Testing

@testable import Transport

@Suite("A burst of troubles")
struct BurstDetectorTests {
  @Test("begins with the first, lasts while less than a second is between two, and begins again after that")
  func begins() {
    var burst = BurstDetector()
    let second: Int64 = 1_000_000_000
    let times = [0, second - 1, 2 * second - 2, 3 * second - 2, 5 * second]
    let begun = times.map { burst.begins(at: $0) }
    #expect(begun == [true, false, false, true, true])
  }
}
