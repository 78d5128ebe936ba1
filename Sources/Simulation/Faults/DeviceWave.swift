import APNs
import Devices
import Timeline

/// An action of a fault on many devices, done in portions: a million at once would hold the lock for seconds.
struct DeviceWave: Sendable {
  enum Kind: Sendable {
    /// The action of a fault on its devices, while it is in force.
    case begin(String, serial: UInt64)
    /// The action that reverts it, on the devices where it was done.
    case heal([DeviceID], DeviceAction)
  }

  /// How much is done before other work gets a turn.
  struct Portion {
    let looks: Int
    let orders: Int
    let events: Int

    /// A fleet within these limits is finished together with the order.
    static let one = Portion(looks: 5_000, orders: 200, events: 1_000)
  }

  let kind: Kind
  let began: Instant
  /// Number of devices looked at so far.
  fileprivate(set) var next = 0

  init(_ kind: Kind, at began: Instant) {
    self.kind = kind
    self.began = began
  }
}

/// Waves in order; the first one is in progress.
struct DeviceWaves: Sendable {
  private(set) var list: [DeviceWave] = []

  var isEmpty: Bool { list.isEmpty }
  var count: Int { list.count }
  var first: DeviceWave? { list.first }

  /// - Returns: whether it starts now because no other wave is in progress.
  mutating func append(_ wave: DeviceWave) -> Bool {
    list.append(wave)
    return list.count == 1
  }

  /// The first wave has looked at a device.
  mutating func advance() { list[0].next += 1 }

  /// The first wave is finished.
  mutating func removeFirst() { list.removeFirst() }
}
