import APNs
import Devices
import Reporting
import Timeline

/// Apps that end activities without recent updates.
extension DeviceState {
  /// Schedules a check for when the oldest activity reaches the age; none if no activity runs. Checks are `every`
  /// apart, starting when the app comes to the foreground.
  mutating func planStaleCheck(_ moment: AppContext) {
    let (app, device, now) = (moment.app, moment.device, moment.now)
    guard let check = reports.reports(app)?.staleCheck, !reports[moment].isChecking else { return }
    let install = fleet.install(device, app: app)
    guard install.life == .foreground else { return }
    let running = install.activities.lazy.filter { $0.isRunning(at: now) || $0.isPrompting }
    guard let oldest = running.map(\.appliedAt).min() else { return }
    let due = max(oldest.advanced(by: check.after), now.advanced(nanoseconds: 1))
    guard due <= WorldClock.end else { return }
    let since = reports[moment].checksFrom ?? now
    let every = max(check.every.wholeNanoseconds, 1)
    let (rounds, rest) = since.duration(to: due).wholeNanoseconds.quotientAndRemainder(dividingBy: every)
    reports[moment].isChecking = true
    schedule.add(
      .staleCheck(device, app: app),
      due: since.advanced(nanoseconds: rounds * every).advanced(nanoseconds: rest > 0 ? every : 0))
  }

  mutating func checkAgain(_ moment: AppContext) {
    guard reports[moment].isChecking else { return }
    reports[moment].isChecking = false
    guard fleet.install(moment.device, app: moment.app).life == .foreground else { return }
    checkStale(moment)
    planStaleCheck(moment)
    sendCalls(moment)
  }

  mutating func checkStale(_ moment: AppContext) {
    let (app, device, now) = (moment.app, moment.device, moment.now)
    guard let check = reports.reports(app)?.staleCheck else { return }
    for activity in fleet.install(device, app: app).activities where activity.isRunning(at: now) {
      guard activity.appliedAt.advanced(by: check.after) <= now else { continue }
      var scope = TemplateScope()
      scope[.contentState] = activity.content.value("content-state")
      if let unless = check.unless, scope.holds(unless) { continue }
      _ = ask(device, at: now) {
        $0.end(activity.number, app: app, with: ActivityEndRequest(.command), &$1)
      }
    }
  }
}
