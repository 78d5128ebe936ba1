import APNs
import Devices
import Timeline
import WireFormats

extension World {
  /// Carries an accepted push to its device.
  mutating func deliver(_ push: PushRequest, _ request: HTTPRequest, at now: Instant) -> Fate {
    guard let address = Address(push.address) else { return .discardedUnregistered }
    // A push that does not reach the phone tells APNs nothing about it either.
    guard fleet.isOnline(address.device) else { return .storedOffline }
    guard push.isLingering else { return .delivered(react(push, address, request, at: now)) }
    if !address.slot.isActivity, fleet.awaitsNotice(address, at: now) {
      // The first push that reaches a dead token of an app sets the fuzzy delay going after which APNs says so.
      let notice = fleet.drawNotice(address, at: now)
      fleet.change(address.device) { state in
        state.installs[address.app].change(address.slot) { $0.noticeLater(address.generation, at: notice) }
      }
    }
    return .discardedUnregistered
  }

  /// What the phone makes of a push. Only Live Activities are modelled so far.
  private mutating func react(
    _ push: PushRequest, _ address: Address, _ request: HTTPRequest, at now: Instant
  ) -> Reaction {
    let (device, app) = (address.device, address.app)
    let storage = request.storage
    let read: Reaction?
    switch address.slot {
    case .app, .service: return .received
    case .pushToStart(let type):
      let here = Install.Surroundings(
        types: fleet.plan.apps[app].types, os: fleet.os(of: device), habits: fleet.habits,
        running: fleet.running(on: device, at: now))
      read = try? JSONNode.read(storage.span, push.payload) { root in
        fleet.change(device) { $0.installs[app].receiveStart(root, request, type: type, here, at: now) }
      }
    case .update(let number):
      let (types, habits) = (fleet.plan.apps[app].types, fleet.habits)
      read = try? JSONNode.read(storage.span, push.payload) { root in
        fleet.change(device) { $0.installs[app].receiveUpdate(root, request, activity: number, types, habits, at: now) }
      }
    }
    let reaction = read ?? .dropped(.notJSON)
    switch reaction {
    case .started(let number): noteStart(device, app, number, origin: .push, at: now)
    case .ended(let number, _):
      events.append(.activityEnded(device, app: app, activity: number, cause: .push, at: now))
    case .received, .updated, .dropped: break
    }
    return reaction
  }

  /// The app starts an activity; nil when the install is full.
  mutating func startActivity(_ device: DeviceID, _ app: Int, type: Int, at now: Instant) -> UInt32? {
    guard !fleet.install(device, app: app).isFull else { return nil }
    let habits = fleet.habits
    let number = fleet.change(device) { $0.installs[app].start(type: type, origin: .command, habits, at: now).number }
    noteStart(device, app, number, origin: .command, at: now)
    return number
  }

  private mutating func noteStart(
    _ device: DeviceID, _ app: Int, _ number: UInt32, origin: LiveActivity.Origin, at now: Instant
  ) {
    let due = now.advanced(by: fleet.habits.activityLife)
    plan(.activityRunsOut(device, app: app, activity: number), due: due)
    events.append(.activityStarted(device, app: app, activity: number, origin: origin, at: now))
    events.append(.tokenIssued(device, app: app, slot: .update(activity: number), at: now))
  }

  mutating func endActivity(_ device: DeviceID, _ app: Int, _ number: UInt32, _ cause: ActivityEnd, at now: Instant) {
    let habits = fleet.habits
    let ended = fleet.change(device) { state in
      state.installs[app].end(number, habits, isOnline: state.isOnline, at: now)
    }
    if ended { events.append(.activityEnded(device, app: app, activity: number, cause: cause, at: now)) }
  }
}
