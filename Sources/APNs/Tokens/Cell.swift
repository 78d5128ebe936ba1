/// A process that owns some of the partitions of a fleet: those whose number modulo the number of cells is its own.
package struct Cell: Hashable, Sendable {
  /// From 0.
  package let number: Int
  /// Number of cells of the fleet.
  package let count: Int

  package static let counts = 2...256

  /// Nil unless the number is below the count.
  package init?(_ number: Int, of count: Int) {
    guard Self.counts.contains(count), (0..<count).contains(number) else { return nil }
    self.number = number
    self.count = count
  }

  /// Reads `3/16`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    self.init(numbers[0], of: numbers[1])
  }

  package var text: String { "\(number)/\(count)" }

  /// The cell as sentences name it.
  package var words: String { "cell \(number) of \(count)" }

  @inlinable package func owns(partition: UInt8) -> Bool { Int(partition) % count == number }

  @inlinable package func owns(_ device: DeviceID) -> Bool { owns(partition: device.partition) }

  /// The first device that it owns, from this one on.
  package func first(from device: DeviceID) -> DeviceID {
    let (partition, block) = (device.number % 256, device.number / 256 * 256)
    let own = UInt32(number)
    guard partition > own else { return DeviceID(block + own) }
    let steps = (partition - own + UInt32(count) - 1) / UInt32(count)
    let next = own + steps * UInt32(count)
    return DeviceID(block + (next < 256 ? next : 256 + own))
  }

  /// The number of the cell that owns a partition.
  package func owner(ofPartition partition: UInt8) -> Int { Int(partition) % count }

  /// Number of partitions that it owns.
  private var partitions: UInt32 { UInt32((255 - number) / count + 1) }

  /// Number of a fleet's devices that it owns.
  package func share(of devices: UInt32) -> UInt32 {
    let (turns, rest) = devices.quotientAndRemainder(dividingBy: 256)
    let last = Int(rest) > number ? (Int(rest) - 1 - number) / count + 1 : 0
    return turns * partitions + UInt32(last)
  }

  /// The index of a device among the devices that it owns, from 0.
  package func index(of device: DeviceID) -> UInt32 {
    device.number / 256 * partitions + (device.number % 256 - UInt32(number)) / UInt32(count)
  }

  /// The device at that index among the devices that it owns.
  package func device(_ index: UInt32) -> DeviceID {
    let (turn, place) = index.quotientAndRemainder(dividingBy: partitions)
    return DeviceID(turn * 256 + UInt32(number) + place * UInt32(count))
  }
}
