import APNs
import Devices
import Reporting
import Timeline

/// Apps that end activities which heard nothing for long.
extension World {
  /// Plans a check for when the oldest activity comes of age; none where nothing runs. Checks lie `every` apart from
  /// the way to the foreground on.
  mutating func planStaleCheck(_ app: Int, _ device: DeviceID, at now: Instant) {
    guard let check = reports.reports(app)?.staleCheck, !reports[device, app].isChecking else { return }
    let install = fleet.install(device, app: app)
    guard install.life == .foreground else { return }
    let running = install.activities.lazy.filter { $0.isRunning(at: now) || $0.isPrompting }
    guard let oldest = running.map(\.appliedAt).min() else { return }
    let due = max(oldest.advanced(by: check.after), now.advanced(nanoseconds: 1))
    guard due <= WorldClock.end else { return }
    let since = reports[device, app].checksFrom ?? now
    let every = max(check.every.wholeNanoseconds, 1)
    let (rounds, rest) = since.duration(to: due).wholeNanoseconds.quotientAndRemainder(dividingBy: every)
    reports[device, app].isChecking = true
    plan(
      .staleCheck(device, app: app),
      due: since.advanced(nanoseconds: rounds * every).advanced(nanoseconds: rest > 0 ? every : 0))
  }

  mutating func checkAgain(_ app: Int, on device: DeviceID, at now: Instant) {
    guard reports[device, app].isChecking else { return }
    reports[device, app].isChecking = false
    guard fleet.install(device, app: app).life == .foreground else { return }
    checkStale(app, device, at: now)
    planStaleCheck(app, device, at: now)
    letLeave(app, device, at: now)
  }

  mutating func checkStale(_ app: Int, _ device: DeviceID, at now: Instant) {
    guard let check = reports.reports(app)?.staleCheck else { return }
    for activity in fleet.install(device, app: app).activities where activity.isRunning(at: now) {
      guard activity.appliedAt.advanced(by: check.after) <= now else { continue }
      var scope = Scope()
      scope[.content] = activity.content.value("content-state")
      if let unless = check.unless, scope.holds(unless) { continue }
      _ = ask(device) { $0.end(activity.number, app: app, .command, $1, at: now, &$2) }
    }
  }
}
