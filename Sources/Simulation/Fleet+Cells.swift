import APNs
import Devices

/// The devices of this process, if it has a cell of a fleet.
extension Fleet {
  /// The devices that `owns` is true for, in order.
  var ownDevices: some Sequence<DeviceID> {
    let cell = plan.cell
    return (0..<plan.ownDevices).lazy.map { cell?.device($0) ?? DeviceID($0) }
  }

  /// Why an order about a device cannot be carried out here; nil if it can.
  package func strangerSentence(_ device: DeviceID) -> String? {
    guard let cell = ground.plan.cell, !cell.owns(device) else { return nil }
    return "\(device.text) belongs to cell \(cell.owner(ofPartition: device.partition)); this is \(cell.words)."
  }
}
