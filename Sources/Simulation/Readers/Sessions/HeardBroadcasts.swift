import Devices

/// Which sessions hear of the arrivals of a broadcast.
struct HeardBroadcasts: Sendable {
  private struct Hearing: Sendable {
    /// The sessions without devices.
    var all: [Int] = []
    /// The sessions that hear of it on the devices that they name.
    var named: Set<Int> = []
  }

  private var hearings: [UInt64: Hearing] = [:]
  /// Number of requests about channels after which the sessions of a broadcast are forgotten: a later arrival on a
  /// phone that was offline is not counted.
  private static let most: UInt64 = 10_000

  /// - Parameter places: the sessions that hear of the broadcast of that number.
  mutating func add(_ number: UInt64, _ places: [Int], naming: (Int) -> Bool) {
    if number >= Self.most { hearings[number - Self.most] = nil }
    guard !places.isEmpty else { return }
    hearings[number] = Hearing(all: places.filter { !naming($0) }, named: Set(places.filter(naming)))
  }

  /// The sessions that hear of the arrival on a device.
  ///
  /// - Parameter naming: the sessions that name the device.
  func listeners(_ number: UInt64, naming: @autoclosure () -> [Int]) -> [Int] {
    guard let hearing = hearings[number] else { return [] }
    return hearing.all + (hearing.named.isEmpty ? [] : naming().filter(hearing.named.contains))
  }

  /// A session was closed.
  mutating func remove(_ place: Int) {
    hearings = hearings.mapValues { hearing in
      Hearing(all: hearing.all.filter { $0 != place }, named: hearing.named.subtracting([place]))
    }
  }
}
