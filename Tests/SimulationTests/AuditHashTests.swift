import Testing
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("Hashes of what was sent")
struct AuditHashTests {
  @Test(
    "the hashes of two texts differ if the texts differ in a few digits, at any position",
    arguments: ["", "F", "For ", #"{"aps":{"alert":"For "#, #"{"aps":{"alert":{"title":"Goal "#])
  func numbers(head: String) {
    var seen: Set<UInt64> = []
    for number in 0..<100_000 { seen.insert(Auditor.hash(Array("\(head)\(number)\"}}".utf8))) }
    #expect(seen.count == 100_000)
  }

  @Test("the hashes of texts that consist of zeros differ if only the lengths differ")
  func lengths() {
    #expect(Set((0..<1000).map { Auditor.hash([UInt8](repeating: 0, count: $0)) }).count == 1000)
  }
}
