import APNs
import Testing

@Suite("Cells")
struct CellTests {
  @Test("a cell is written as its number and the number of cells", arguments: ["0/2", "3/16", "255/256"])
  func read(_ text: String) throws {
    #expect(try #require(Cell(text)).text == text)
  }

  @Test(
    "anything else is no cell",
    arguments: ["16/16", "0/1", "0/257", "-1/4", "+1/4", "1/4/4", "1", "/", "", "a/4", "1/", " 1/4", "١/4"])
  func refused(_ text: String) {
    #expect(Cell(text) == nil)
  }

  @Test(
    "each device belongs to one cell, and each cell knows how many it has and which", arguments: [2, 3, 16, 100, 256])
  func shares(count: Int) throws {
    let cells = try (0..<count).map { try #require(Cell($0, of: count)) }
    for devices: UInt32 in [1, 255, 256, 257, 1000] {
      let owners = (0..<devices).map { number in cells.filter { $0.owns(DeviceID(number)) }.map(\.number) }
      #expect(owners.allSatisfy { $0.count == 1 })
      for cell in cells {
        let own = (0..<devices).map { DeviceID($0) }.filter { cell.owns($0) }
        #expect(cell.share(of: devices) == UInt32(own.count))
        #expect((0..<UInt32(own.count)).map { cell.device($0) } == own)
        #expect(own.map { cell.index(of: $0) } == Array(0..<UInt32(own.count)))
        for start in [0, 1, 254, 255, 256, devices / 2] {
          #expect(cell.first(from: DeviceID(start)) == (start...).lazy.map { DeviceID($0) }.first { cell.owns($0) })
        }
      }
    }
  }

  @Test("the second byte of a token names the cell of its device")
  func tokens() throws {
    let seal = TokenSeal(seed: 5)
    for number: UInt32 in [0, 7, 259, 100_000] {
      for slot in [TokenSlot.app, .update(activity: 2)] {
        let address = Address(device: DeviceID(number), app: 0, slot: slot, generation: 1)
        let token = seal.token(for: address, sizes: TokenSizes())
        #expect(token.partition == DeviceID(number).partition)
      }
    }
    #expect(DeviceToken(bytes: [7]).partition == nil)
  }
}
