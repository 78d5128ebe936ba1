import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// The apps' side of reporting: an event on a phone becomes an event of its app, which becomes calls.
extension DeviceState {
  /// An event on a phone, which its app may report.
  mutating func handle(_ deviceEvent: DeviceEvent, app: Int?, on device: DeviceID, at now: Instant) {
    guard let app else {
      for app in fleet.plan.apps.indices where reports.reports(app) != nil {
        endProcess(after: deviceEvent, AppContext(app: app, device: device, now: now))
      }
      return
    }
    guard reports.reports(app) != nil else { return }
    let moment = AppContext(app: app, device: device, now: now)
    handle(deviceEvent, moment)
    sendCalls(moment)
  }

  /// Ends the app's process if an event of the whole phone does so.
  private mutating func endProcess(after deviceEvent: DeviceEvent, _ moment: AppContext) {
    switch deviceEvent {
    case .rebooted:
      reports.endProcess(moment, because: "the phone was rebooted", &output)
      reports[moment].processBegan()
    case .restored:
      reports.endProcess(moment, because: "the phone was restored", &output)
      reports[moment].installed(keepsDisk: true)
    default: break
    }
  }

  private mutating func handle(_ deviceEvent: DeviceEvent, _ moment: AppContext) {
    switch deviceEvent {
    case .appLaunched(let launch): handle(launch, moment)
    case .appForegrounded:
      reports[moment].retry(at: .foreground)
      emit(.foreground, about: .nothing, in: moment)
      checkStale(moment)
      if !reports[moment].isChecking { reports[moment].checksFrom = moment.now }
      planStaleCheck(moment)
    case .appSuspended:
      if reports.reports(moment.app)?.isRuntimeBound ?? true {
        reports.abort(moment, because: "its runtime was over", &output)
      }
    case .appTerminated, .appUpdated:
      reports.endProcess(moment, because: "its process ended", &output)
      reports[moment].processBegan()
    case .appRemoved:
      reports.endProcess(moment, because: "the app was deleted", &output)
      reports[moment].installed(keepsDisk: false)
    default:
      if let (event, subject) = event(of: deviceEvent, moment) { emit(event, about: subject, in: moment) }
      if case .activityStarted = deviceEvent { planStaleCheck(moment) }
      noteHealth(deviceEvent, moment)
    }
  }

  /// Lets the bell warn if the system has ended the activity of something that is followed, until another one starts.
  private mutating func noteHealth(_ deviceEvent: DeviceEvent, _ moment: AppContext) {
    switch deviceEvent {
    case .activityStarted(let number, _):
      if let key = followed(by: number, moment) { reports[moment].trust(key) }
    case .activityEnded(let number, .system), .activityEnded(let number, .evicted),
      .activityEnded(let number, .lifeOver), .activityEnded(let number, .switched):
      if let key = followed(by: number, moment) { reports[moment].warn(key) }
    default: break
    }
  }

  /// The followed thing that an activity is about; nil if it is about nothing that the person follows.
  private func followed(by number: UInt32, _ moment: AppContext) -> String? {
    guard let follows = reports.reports(moment.app)?.follows, !reports[moment.device, moment.app].followed.isEmpty,
      let activity = fleet.install(moment.device, app: moment.app).activity(number),
      let value = activity.attributes.value("attributes")?[follows.key]
    else { return nil }
    let key = value.string ?? value.text
    return reports[moment.device, moment.app].followed.contains(key) ? key : nil
  }

  private mutating func handle(_ launch: Launch, _ moment: AppContext) {
    reports[moment].processBegan()
    emit(launch == .byPerson ? .launchCold : .launchBackground, about: .nothing, in: moment)
    // Assumed: an app reads both at launch and reports them before its tokens. Documented: both may change later.
    let phone = fleet.phone(moment.device)
    let allowances = phone.installs[moment.app].allowances
    let shows = allowances.contains(.liveActivities) && phone.isOn(.allLiveActivities, app: moment.app)
    emit(.laEnablement, about: .value(shows), in: moment)
    emit(.frequentPushes, about: .value(allowances.contains(.frequentUpdates)), in: moment)
    checkStale(moment)
  }

  /// The profile's name for the event; nil if it has none.
  private mutating func event(of deviceEvent: DeviceEvent, _ moment: AppContext) -> (ReportEvent, ReportSubject)? {
    switch deviceEvent {
    case .appBackgrounded: return (.background, .nothing)
    case .tokenYielded(let slot):
      switch slot {
      case .app: return (.deviceToken, .token(slot))
      case .service: return (.serviceToken, .token(slot))
      case .pushToStart: return (.pushToStartToken, .token(slot))
      case .update(let number):
        let isFirst = reports[moment].meetsToken(of: number)
        return (isFirst ? .activityToken : .activityTokenRotated, .token(slot))
      }
    case .activityStarted(let number, .command): return (.activityStartedLocal, .activity(number))
    case .activityYielded(let number):
      let origin = fleet.install(moment.device, app: moment.app).activity(number)?.origin
      return origin == .push ? (.activityStartedPush, .activity(number)) : nil
    case .activityStateYielded(let number, let state): return (.activityState(state), .activity(number))
    case .contentYielded(let number): return (.contentApplied, .activity(number))
    case .activityRefused(let error, _): return (.activityError, .error(error))
    case .enablementYielded(let value): return (.laEnablement, .value(value))
    case .frequentPushesYielded(let value): return (.frequentPushes, .value(value))
    case .notificationYielded(let number): return (.notificationReceived, .notification(number))
    case .backgroundPushYielded: return (.silentPushHandled, .nothing)
    default: return nil
    }
  }

  /// Reports a touch of the person to the app, which it may have launched.
  mutating func report(_ event: ReportEvent, about subject: ReportSubject, in moment: AppContext) {
    emit(event, about: subject, in: moment)
    sendCalls(moment)
  }

  /// Queues the requests of an event, if the profile has any.
  mutating func emit(_ event: ReportEvent, about subject: ReportSubject, followed: String? = nil, in moment: AppContext)
  {
    guard let plan = reports.reports(moment.app), plan.reports(event) else { return }
    var clock = moment.now
    if let place = fleet.place(moment.device) { clock = clock.advanced(by: fleet.phones[place].clockAhead) }
    if faults.strikesReports {
      let call = faultCall(event.name, moment)
      if let (name, ahead) = faults.clockError(call, at: moment.now) {
        output.append(.faultStruck(name, moment.device, at: moment.now))
        clock = clock.advanced(by: ahead)
      }
    }
    let scope = scope(of: event, about: subject, plan: plan, in: moment, clock: clock)
    reports.add(event, scope: scope, followed: followed, in: moment, output: &output)
  }

  func faultCall(_ event: String, _ moment: AppContext) -> ReportFaultIndex.Call {
    ReportFaultIndex.Call(
      device: moment.device, app: moment.app, os: fleet.os(of: moment.device), event: event)
  }

  /// The bells that apps on a phone show, app by app, in the order in which they were set.
  func bells(on device: DeviceID) -> [(app: Int, key: String, bell: BellIcon)] {
    guard reports.isOn else { return [] }
    let phone = fleet.phone(device)
    return fleet.plan.apps.indices.filter { reports.reports($0)?.follows != nil }.flatMap { app in
      let canShow =
        phone.installs[app].allowances.contains(.liveActivities) && phone.isOn(.allLiveActivities, app: app)
      let reporter = reports[device, app]
      return reporter.followed.map { (app, $0, reporter.bell($0, canShow: canShow)) }
    }
  }
}
