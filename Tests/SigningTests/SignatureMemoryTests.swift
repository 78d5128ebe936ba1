import Testing

@testable import Signing

@Suite("The memory of verified signatures")
struct SignatureMemoryTests {
  private func recalls(_ memory: inout SignatureMemory, _ number: Int) -> Bool {
    memory.recall(Array("\(number)".utf8), [1]) != nil
  }

  @Test("the signature memory returns the results that were stored, and no others")
  func recallsWhatItKnows() {
    var memory = SignatureMemory(capacity: 3)
    memory.remember([1, 2], [3, 4], isValid: true)
    memory.remember([1, 2], [3, 5], isValid: false)
    let found = [memory.recall([1, 2], [3, 4]), memory.recall([1, 2], [3, 5])]
    #expect(found == [true, false])
    let others = [memory.recall([1, 2, 3], [4]), memory.recall([1], [2, 3, 4]), memory.recall([1, 2], [3])]
    #expect(others == [nil, nil, nil])
  }

  @Test("the signature memory is bounded: the least recently used signature is removed first")
  func bounded() {
    var memory = SignatureMemory(capacity: 3)
    for number in 1...3 { memory.remember(Array("\(number)".utf8), [1], isValid: true) }
    let isKnown = recalls(&memory, 1)
    memory.remember(Array("4".utf8), [1], isValid: true)
    let left = (1...4).map { recalls(&memory, $0) }
    #expect(isKnown && left == [true, false, true, true] && memory.count == 3)
    for number in 5...1000 { memory.remember(Array("\(number)".utf8), [1], isValid: true) }
    let last = (998...1000).map { recalls(&memory, $0) }
    #expect(memory.count == 3 && last == [true, true, true])
  }
}
