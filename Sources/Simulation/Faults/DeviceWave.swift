import APNs
import Devices
import Timeline

/// Something that a fault does to many devices, a few at a time: a million at once would hold the world for seconds.
struct DeviceWave: Sendable {
  enum Kind: Sendable {
    /// What a fault does to the devices it is for, while it is in force.
    case begin(String, serial: UInt64)
    /// What takes that back, where it was done.
    case heal([DeviceID], DeviceAction)
  }

  /// How much is done before others have a turn.
  struct Portion {
    let looks: Int
    let orders: Int
    let events: Int

    /// A fleet of this size is done with when the order is.
    static let one = Portion(looks: 5_000, orders: 200, events: 1_000)
  }

  let kind: Kind
  let began: Instant
  /// How many devices have been looked at.
  fileprivate(set) var next = 0

  init(_ kind: Kind, at began: Instant) {
    self.kind = kind
    self.began = began
  }
}

/// Waves one after another; the first is being carried out.
struct DeviceWaves: Sendable {
  private(set) var list: [DeviceWave] = []

  var isEmpty: Bool { list.isEmpty }
  var count: Int { list.count }
  var first: DeviceWave? { list.first }

  /// - Returns: whether it is to be carried out now, for none is before it.
  mutating func append(_ wave: DeviceWave) -> Bool {
    list.append(wave)
    return list.count == 1
  }

  /// The first has looked at a device.
  mutating func advance() { list[0].next += 1 }

  /// The first is done with.
  mutating func removeFirst() { list.removeFirst() }
}
