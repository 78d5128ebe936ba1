import Testing

@testable import Transport

@Suite("A burst of troubles")
struct BurstDetectorTests {
  @Test(
    "A burst begins with a trouble, and lasts while less than a second is between two of them")
  func begins() {
    var burst = BurstDetector()
    let second: Int64 = 1_000_000_000
    let times = [0, second - 1, 2 * second - 2, 3 * second - 2, 5 * second]
    let begun = times.map { burst.begins(at: $0) }
    #expect(begun == [true, false, false, true, true])
  }
}
