import APNs
import Devices
import Timeline

/// Work that many devices have once after the world began, at times that a seed has drawn.
///
/// An entry of the schedule takes ten times the memory of a number. So the numbers of the devices are kept, sorted by
/// slices of time, and one slice after another is put on the schedule shortly before it begins.
struct FirstWork: Sendable {
  enum Kind: Sendable {
    case opens(app: Int)
    case rotates(app: Int, TokenSlot)
  }

  let kind: Kind
  /// The last slice first, so that a slice is taken off the end.
  private var devices: [UInt32] = []
  /// Beginnings of the slices, the last slice first.
  private var starts: [Int] = []
  private let first: Duration
  private let slice: Duration
  private var taken = 0

  /// Number of devices of a slice on average: putting them on the schedule takes less than a millisecond.
  static let usual = 1024

  /// - Parameters:
  ///   - size: number of devices of a slice on average.
  ///   - wait: when the work is due after the beginning; nil for a device without the work.
  init(_ kind: Kind, _ fleet: Fleet, size: Int, wait: (DeviceID) -> Duration?) {
    self.kind = kind
    var (count, least, greatest) = (0, Duration.zero, Duration.zero)
    for device in fleet.ownDevices {
      guard let wait = wait(device) else { continue }
      (least, greatest) = count == 0 ? (wait, wait) : (min(least, wait), max(greatest, wait))
      count += 1
    }
    let slices = max(1, count / max(1, size))
    first = least
    slice = (greatest - least) / slices + .nanoseconds(1)
    guard count > 0 else { return }
    starts = [Int](repeating: 0, count: slices + 1)
    for device in fleet.ownDevices {
      guard let wait = wait(device) else { continue }
      starts[slices - place(wait, of: slices)] += 1
    }
    for index in 1...slices { starts[index] += starts[index - 1] }
    var next = starts
    devices = [UInt32](repeating: 0, count: count)
    for device in fleet.ownDevices {
      guard let wait = wait(device) else { continue }
      let row = slices - 1 - place(wait, of: slices)
      devices[next[row]] = device.number
      next[row] += 1
    }
    starts.removeLast()
  }

  private func place(_ wait: Duration, of slices: Int) -> Int { min(Int((wait - first) / slice), slices - 1) }

  /// Number of devices that are not on the schedule yet.
  var count: Int { devices.count }

  /// Time after the beginning at which the next slice must be put on the schedule; nil if none is left.
  var nextBegins: Duration? { starts.isEmpty ? nil : first + slice * taken - .nanoseconds(1) }

  /// Takes the devices of the next slice, in the order of their numbers.
  mutating func takeSlice() -> [DeviceID] {
    guard let start = starts.popLast() else { return [] }
    taken += 1
    let found = devices[start...].map { DeviceID($0) }
    devices.removeLast(found.count)
    if starts.isEmpty { devices = [] }
    return found
  }
}

extension DeviceState {
  /// Number of devices with first work of one kind up to which all of it is put on the schedule at once.
  static let mostAtOnce: UInt32 = 65_536

  /// Time after the beginning of the world at which work of a kind is due on a device; nil if it has none.
  private func wait(_ kind: FirstWork.Kind, _ device: DeviceID) -> Duration? {
    switch kind {
    case .opens(let app):
      guard let span = reports.plan.opensWithin else { return nil }
      return reports.draws.opening.duration(in: .zero...span, subject: UInt64(device.number), count: UInt64(app))
    case .rotates(let app, let slot): return fleet.model.rotation(of: slot, generation: 0, on: device, app: app)
    }
  }

  /// Plans work that devices have once after the world began.
  ///
  /// - Parameters:
  ///   - most: number of devices up to which all of it is put on the schedule at once.
  ///   - size: number of devices of a slice on average.
  mutating func plan(_ kind: FirstWork.Kind, atOnce most: UInt32 = mostAtOnce, size: Int = FirstWork.usual) {
    guard fleet.plan.ownDevices > most else {
      for device in fleet.ownDevices { schedule(kind, on: device) }
      return
    }
    let work = FirstWork(kind, fleet, size: size) { wait(kind, $0) }
    firstWork.append(work)
    scheduleFirst(firstWork.count - 1)
  }

  /// Puts the next slice on the schedule, and itself before the slice after that.
  mutating func scheduleFirst(_ index: Int) {
    // The first slice begins with the world.
    repeat {
      for device in firstWork[index].takeSlice() { schedule(firstWork[index].kind, on: device) }
      guard let next = firstWork[index].nextBegins else { return }
      if next > .zero {
        schedule.add(.firstWork(index), due: fleet.began.advanced(by: next))
        return
      }
    } while true
  }

  private mutating func schedule(_ kind: FirstWork.Kind, on device: DeviceID) {
    guard let wait = wait(kind, device) else { return }
    let due = fleet.began.advanced(by: wait)
    switch kind {
    case .opens(let app): schedule.add(.opensFirst(device, app: app), due: due)
    case .rotates(let app, let slot): schedule.add(.phone(device, .tokenRotates(app: app, slot)), due: due)
    }
  }
}
