import APNs
import Devices
import Timeline

/// How phones are asked to do something, and what becomes of what they say.
extension Partition {
  /// The place of a phone, and its running activities watched from then on.
  mutating func touch(_ device: DeviceID) -> Int {
    let place = fleet.touch(device)
    if fleet.hasRunningActivities, !fleet.phones[place].isWatched { watchRunning(on: device, at: place) }
    return place
  }

  private mutating func watchRunning(on device: DeviceID, at place: Int) {
    fleet.phones[place].isWatched = true
    for app in fleet.plan.apps.indices {
      for (number, expiry) in fleet.phones[place].runningActivities(app) {
        schedule.add(.phone(device, .activityRunsOut(app: app, number)), due: expiry)
      }
    }
  }

  /// How a phone and its person are: as the fleet is, unless a fault says otherwise.
  @inline(__always)
  func model(of device: DeviceID, _ faults: FaultDesk) -> PhoneModel {
    faults.prompts.isEmpty ? fleet.model : faults.model(of: device, in: fleet)
  }

  /// Has a phone do something, and tells what came of it.
  @discardableResult
  mutating func ask<Result>(
    _ device: DeviceID, at now: Instant, _ faults: inout FaultDesk, _ output: inout EventList,
    _ act: (inout Phone, PhoneModel, inout PhoneNews) -> Result
  ) -> Result {
    let place = touch(device)
    let model = model(of: device, faults)
    let result = act(&fleet.phones[place], model, &news)
    if !news.items.isEmpty { takeNews(of: device, &faults, &output) }
    reclaimMemory(for: device, at: place, now: now, &faults, &output)
    return result
  }

  /// Does what is due.
  mutating func perform(
    _ work: Schedule.Work, at due: Instant, _ faults: inout FaultDesk, _ output: inout EventList
  ) {
    switch work {
    case .phone(let device, let work): ask(device, at: due, &faults, &output) { $0.perform(work, $1, at: due, &$2) }
    case .storeLooks(let device): expire(device, at: due, &output)
    case .callLeaves(let number): reports.launch(number, at: due, &output)
    case .opensFirst(let device, let app):
      openFirst(AppMoment(app: app, device: device, now: due), &faults, &output)
    case .visitEnds(let device, let app, let locks, let darkens, let quits):
      let visit = Visit(locks: locks, darkens: darkens, quits: quits)
      end(visit, AppMoment(app: app, device: device, now: due), &faults, &output)
    case .staleCheck(let device, let app):
      checkAgain(AppMoment(app: app, device: device, now: due), &faults, &output)
    case .wire, .faultBegins, .faultEnds, .silence: break
    }
  }

  /// Makes events of what a phone has said.
  mutating func takeNews(of device: DeviceID, _ faults: inout FaultDesk, _ output: inout EventList) {
    // What apps do about it may make news of its own, so it comes when all of this has been told.
    var heard: [(Happening, app: Int?, at: Instant)] = []
    for item in news.items {
      switch item {
      case .happened(let happening, let app, let at):
        output.append(.phone(device, app: app, happening, at: at))
        if reports.isOn { heard.append((happening, app, at)) }
        switch happening {
        case .activityStarted(let number, _), .activityScheduled(let number):
          if let app { subscribe(number, app, on: device, at: at) }
        default: break
        }
      case .settled(let push, let reaction, let held, let at):
        let fate = reaction.fate(fromStorage: held.isByAPNs)
        output.append(.pushSettled(number: push, device, fate, at: at))
      case .due(let work, let due): schedule.add(.phone(device, work), due: due)
      }
    }
    news.items.removeAll(keepingCapacity: true)
    for (happening, app, at) in heard { handle(happening, app: app, on: device, at: at, &faults, &output) }
  }
}
