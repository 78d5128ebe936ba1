import APNs
import Testing
@testable import Orders
@testable import Scenarios
@testable import Simulation

@Suite("The seats of a cell's devices")
struct CellSeatsTests {
  @Test(
    "the seat of a cell's device is the cell's index of it, and devices of other cells have no seat",
    arguments: [2, 3, 25, 256])
  func seats(count: Int) throws {
    for number in [0, 1, count / 2, count - 1] {
      let cell = try #require(Cell(number, of: count))
      let seats = CellSeats(cell)
      for device in (0..<1000).map({ DeviceID($0) }) {
        #expect(seats.seat(of: device) == (cell.owns(device) ? Int(cell.index(of: device)) : nil))
      }
    }
  }
}
