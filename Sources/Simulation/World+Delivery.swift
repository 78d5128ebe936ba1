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
    guard push.isLingering else { return .delivered(liveActivityEffect(push, address, request, at: now)) }
    if !address.slot.isActivity, fleet.awaitsNotice(address, at: now) {
      // The first push that reaches a dead token of an app sets the fuzzy delay going after which APNs says so.
      let notice = fleet.drawNotice(address, at: now)
      fleet.change(address.device) { state in
        state.installs[address.app].change(address.slot) { $0.noticeLater(address.generation, at: notice) }
      }
    }
    return .discardedUnregistered
  }

  /// What a Live Activity push changes that tokens depend on: a start on a push-to-start token of the right type mints
  /// an update token, an end on an update token kills it.
  ///
  /// Documented: a push-to-start token only starts, an update token only updates and ends; the attributes type must be
  /// the Swift type's name exactly (seeds 000 and 003).
  private mutating func liveActivityEffect(
    _ push: PushRequest, _ address: Address, _ request: HTTPRequest, at now: Instant
  ) -> Fate.Effect {
    switch address.slot {
    case .app, .service: return .none
    case .pushToStart(let type):
      let name = fleet.plan.apps[address.app].attributesTypes[type]
      guard case .start(let attributesType) = Self.activityEvent(push, request), attributesType == name else {
        return .none
      }
      let started = startActivity(address.device, address.app, type: type, origin: .push, at: now)
      return started.map { .activityStarted($0) } ?? .none
    case .update(let number):
      guard case .end = Self.activityEvent(push, request) else { return .none }
      endActivity(address.device, address.app, number, .push, at: now)
      return .activityEnded(number)
    }
  }

  private enum ActivityEvent {
    case start(attributesType: String?)
    case update
    case end
  }

  /// The event of a Live Activity payload; nil when it cannot be read, which the phone drops in silence.
  private static func activityEvent(_ push: PushRequest, _ request: HTTPRequest) -> ActivityEvent? {
    let storage = request.storage
    let read = try? JSONNode.read(storage.span, push.payload) { root -> ActivityEvent? in
      guard let aps = root["aps"], let event = aps["event"] else { return nil }
      if event.isString("update") { return .update }
      if event.isString("end") { return .end }
      return event.isString("start") ? .start(attributesType: aps["attributes-type"]?.string) : nil
    }
    return read ?? nil
  }

  /// Starts an activity and says its number; nil when the install is full.
  mutating func startActivity(
    _ device: DeviceID, _ app: Int, type: Int, origin: LiveActivity.Origin, at now: Instant
  ) -> UInt32? {
    guard !fleet.install(device, app: app).isFull else { return nil }
    let habits = fleet.habits
    let activity = fleet.change(device) { $0.installs[app].start(type: type, origin: origin, habits, at: now) }
    plan(.activityRunsOut(device, app: app, activity: activity.number), due: activity.expiry)
    events.append(.activityStarted(device, app: app, activity: activity.number, origin: origin, at: now))
    events.append(.tokenIssued(device, app: app, slot: .update(activity: activity.number), at: now))
    return activity.number
  }

  mutating func endActivity(_ device: DeviceID, _ app: Int, _ number: UInt32, _ cause: ActivityEnd, at now: Instant) {
    let habits = fleet.habits
    let ended = fleet.change(device) { state in
      state.installs[app].end(number, habits, isOnline: state.isOnline, at: now)
    }
    if ended { events.append(.activityEnded(device, app: app, activity: number, cause: cause, at: now)) }
  }
}
