import Testing

@testable import HTTP2

@Suite("The memory of nghttp2")
struct SessionMemoryTests {
  @Test("Released memory is reused for the next block of about the same size")
  func reused() {
    let memory = SessionMemory()
    let first = memory.allocate(100)
    memory.release(first)
    let second = memory.allocate(120)
    #expect(second == first)
    let third = memory.allocate(120)
    #expect(third != second)
    memory.release(second)
    memory.release(third)
  }

  @Test("A block has the requested size, is aligned for any value, and keeps its content when it grows")
  func room() {
    let memory = SessionMemory()
    for count in [0, 1, 31, 32, 33, 500, 1000, 1024, 1025, 70_000] {
      let block = memory.allocate(count)
      #expect(SessionMemory.size(of: block) >= count && Int(bitPattern: block) % 16 == 0)
      block.initializeMemory(as: UInt8.self, repeating: 7, count: count)
      let larger = memory.reallocate(block, 2 * count + 1)
      #expect(SessionMemory.size(of: larger) > 2 * count)
      for place in 0..<count where larger.load(fromByteOffset: place, as: UInt8.self) != 7 {
        Issue.record("byte \(place) of \(count) was lost")
        break
      }
      memory.release(larger)
    }
    memory.release(memory.reallocate(nil, 10))
  }

  @Test("Released memory of other sizes, or too much of it, goes back to the system")
  func bounded() {
    let memory = SessionMemory()
    var blocks: [UnsafeMutableRawPointer] = []
    for _ in 0..<2000 { blocks.append(memory.allocate(1024)) }
    blocks.append(memory.allocate(5000))
    for block in blocks { memory.release(block) }
    #expect(memory.kept == 1 << 20)
    for _ in 0..<1024 { blocks.append(memory.allocate(1024)) }
    #expect(memory.kept == 0)
    for block in blocks.suffix(1024) { memory.release(block) }
  }
}
