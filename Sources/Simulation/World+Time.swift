import APNs
import Devices
import Timeline
import WireFormats

/// How time passes in the world: what is due is done in its order, in slices where there is much of it.
extension World {
  /// Entries of the agenda, and events, after which `step` ends. Both take some microseconds each.
  package static let entriesAStep = 256
  package static let eventsAStep = 512

  /// Time passes, as far as is done in one go; no further than to where a fault has begun to reach devices.
  ///
  /// - Returns: how far the world is, where something due by `now` is left.
  package mutating func step(to now: Now) -> Instant? {
    guard soonest <= now.world else { return nil }
    let (first, wavesBefore) = (events.count, waves.count)
    var done = 0
    var reached = now.world
    while done < Self.entriesAStep, events.count - first < Self.eventsAStep, waves.count <= wavesBefore,
      let due = doNext(by: now.world)
    {
      done += 1
      reached = due
    }
    soonest = agenda.nextDue ?? .distantFuture
    let isThere = soonest > now.world && waves.count <= wavesBefore
    if records {
      let call = isThere && !hasWaves ? DoorCall.advanced : .stepped(done)
      let at = Now(world: isThere ? now.world : reached, wall: now.wall)
      recorded.append(RecordedCall(call, at: at, firstEvent: first))
    }
    return isThere ? nil : reached
  }

  /// Makes a step again that did so many entries.
  mutating func step(of entries: Int, to now: Now) {
    note(.stepped(entries), at: now)
    var left = entries
    while left > 0, doNext(by: now.world) != nil { left -= 1 }
    soonest = agenda.nextDue ?? .distantFuture
  }

  mutating func pass(to now: Now) {
    guard soonest <= now.world else { return }
    while doNext(by: now.world) != nil {}
    soonest = agenda.nextDue ?? .distantFuture
  }

  /// Does what is due first.
  ///
  /// - Returns: when it was due; nil where nothing is due by then.
  mutating func doNext(by now: Instant) -> Instant? {
    guard let (due, work) = agenda.takeDue(by: now) else { return nil }
    working = due
    defer { working = nil }
    switch work {
    case .phone(let device, let work): perform(work, on: device, at: due)
    case .storeLooks(let device): expire(device, at: due)
    case .callLeaves(let number): launch(number, at: due)
    case .opensFirst(let device, let app): openFirst(app, on: device, at: due)
    case .visitEnds(let device, let app, let locks, let darkens, let quits):
      endVisit(app, on: device, locks: locks, darkens: darkens, quits: quits, at: due)
    case .wire(let number):
      guard let held = heldOrders.take(number) else { break }
      events.append(.wire(held.connection, held.order))
      if let push = held.push, case .respond(_, let response) = held.order {
        events.append(.answerSent(push: push, .answer(status: response.status), at: due))
      }
    case .faultBegins(let serial): begin(faults.name(serial), at: due)
    case .faultEnds(let serial): end(faults.name(serial), at: due)
    case .silence: lookForSilence(at: due)
    case .staleCheck(let device, let app): checkAgain(app, on: device, at: due)
    }
    return due
  }

  /// Whose work it is: the device's whose phone, app or push it is about.
  func owner(of work: Work) -> DeviceID? {
    switch work {
    case .phone(let device, _), .storeLooks(let device), .opensFirst(let device, _), .staleCheck(let device, _),
      .visitEnds(let device, _, _, _, _):
      device
    case .callLeaves(let number): reports.open[number]?.device
    case .wire(let number): heldOrders.device(of: number)
    case .faultBegins, .faultEnds, .silence: nil
    }
  }
}
