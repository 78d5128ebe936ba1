import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// Sending and ending of the calls of apps, and reactions of the apps.
extension DeviceState {
  /// Sends the calls that may be sent now.
  mutating func sendCalls(_ moment: AppContext) {
    reports.turns.append(.send(moment))
    takeTurns()
  }

  /// Processes the queue of app reactions. A reaction may end calls at once, which causes further reactions: these are
  /// queued.
  private mutating func takeTurns() {
    guard reports.turns.begin() else { return }
    while let turn = reports.turns.takeNext() {
      switch turn {
      case .react(let action, let moment): react(action, moment)
      case .send(let moment): sendNext(moment)
      }
    }
  }

  private mutating func sendNext(_ moment: AppContext) {
    guard let plan = reports.reports(moment.app), fleet.install(moment.device, app: moment.app).life.isRunning,
      let call = reports[moment].next(plan)
    else { return }
    send(call, moment)
    // If it ended at once, the next call comes after its consequences.
    reports.turns.append(.send(moment))
  }

  private mutating func send(_ call: OutgoingCall, _ moment: AppContext) {
    let number = reports.begin(call, moment)
    var course = ReportRegistry.Course.ends(.failed(.offline, "the phone is offline"))
    if fleet.isOnline(moment.device) {
      if faults.strikesReports, let (name, fault) = faults.strike(faultCall(call.event, moment), at: moment.now) {
        output.append(.faultStruck(name, moment.device, at: moment.now))
        course = reports.course(of: number, struckBy: name, fault, delays: faults.delays, moment)
      } else {
        course = reports.course(moment)
      }
    }
    switch course {
    case .reachesWire: reports.launch(number, at: moment.now, &output)
    case .waits(let wait):
      schedule.add(.callLeaves(number), of: moment.device, due: moment.now.advanced(by: wait))
    case .ends(let outcome): end(number, outcome, at: moment.now)
    }
  }

  /// A call was answered, or failed.
  mutating func end(_ number: UInt64, _ result: CallOutcome, at now: Instant) {
    guard let moment = reports.end(number, result: result, at: now, output: &output) else { return }
    sendCalls(moment)
  }

  private mutating func react(_ action: AppAction, _ moment: AppContext) {
    switch reports.turns.countReaction(moment) {
    case ...ReportRegistry.mostReactions: perform(action, moment)
    case ReportRegistry.mostReactions + 1: output.append(.trouble(tooManyReactions(moment)))
    default: break
    }
  }

  private func tooManyReactions(_ moment: AppContext) -> ClientTrouble {
    let (app, device) = (fleet.plan.apps[moment.app].bundleID, moment.device.text)
    return ClientTrouble(
      at: moment.now, kind: "appReactions", peer: device,
      sentence:
        "\(app) on \(device) has more than \(ReportRegistry.mostReactions) reactions to ended calls in one second; the "
        + "rest is dropped. Does its profile repeat an action that has just failed (then, finally)?")
  }

  private mutating func perform(_ appAction: AppAction, _ moment: AppContext) {
    let (app, device, now) = (moment.app, moment.device, moment.now)
    switch appAction {
    case .startActivity(let type, let attributes, let content, let followed):
      var order = ActivityStartRequest(type: type)
      order.attributes = attributes
      order.content = content
      let result = ask(device, at: now) { $0.request(order, app: app, &$1) }
      if case .failure = result, let followed { reports[moment].warn(followed) }
    case .updateActivity(let attribute, let value, let content):
      for number in running(in: moment, attribute: attribute, value: value) {
        _ = ask(device, at: now) {
          $0.update(number, app: app, with: ActivityUpdateRequest(content: content), &$1)
        }
      }
    case .endActivity(let attribute, let value):
      for number in running(in: moment, attribute: attribute, value: value) {
        _ = ask(device, at: now) {
          $0.end(number, app: app, with: ActivityEndRequest(.command, dismissing: now), &$1)
        }
      }
    }
  }

  /// The running activities whose attribute has that value.
  private func running(in moment: AppContext, attribute: String, value: String) -> [UInt32] {
    fleet.install(moment.device, app: moment.app).activities.compactMap { activity in
      guard activity.isRunning(at: moment.now), let found = activity.attributes.value("attributes")?[attribute],
        found.string ?? found.text == value
      else { return nil }
      return activity.number
    }
  }
}
