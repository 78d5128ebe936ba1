import APNs
import Devices

/// The index of each device among those that a cell owns, from a table. `Cell` would divide three times, and a push
/// needs the index several times.
struct CellSeats: Sendable {
  /// By partition: its index among those of the cell, or `none`.
  private let places: ContiguousArray<UInt16>
  /// Number of partitions that the cell owns.
  private let partitions: UInt32
  private static let none = UInt16.max

  init(_ cell: Cell) {
    let first = (0..<256).map { DeviceID($0) }
    places = ContiguousArray(first.map { cell.owns($0) ? UInt16(cell.index(of: $0)) : Self.none })
    partitions = UInt32(first.count { cell.owns($0) })
  }

  /// Nil if the device belongs to another cell.
  @inline(__always)
  func seat(of device: DeviceID) -> Int? {
    let place = places[Int(device.partition)]
    return place == Self.none ? nil : Int(device.number / 256 * partitions + UInt32(place))
  }
}

/// The devices of this process, if it has a cell of a fleet.
extension Fleet {
  /// The devices that `owns` is true for, in order.
  var ownDevices: some Sequence<DeviceID> {
    let cell = plan.cell
    return (0..<plan.ownDevices).lazy.map { cell?.device($0) ?? DeviceID($0) }
  }

  /// The reason why an order about a device cannot be carried out here; nil if it can.
  package func foreignCellSentence(_ device: DeviceID) -> String? {
    guard let cell = configuration.plan.cell, !cell.owns(device) else { return nil }
    return "\(device.text) belongs to cell \(cell.owner(ofPartition: device.partition)); this is \(cell.words)."
  }
}
