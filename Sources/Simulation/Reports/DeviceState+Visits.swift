import APNs
import Devices
import Reporting
import Timeline
import WireFormats

/// People who open an app, do something in it, and leave it again.
extension DeviceState {
  /// Actions at the end of a visit that return the phone to its earlier state.
  struct AppVisit {
    let locks: Bool
    let darkens: Bool
    let quits: Bool
  }

  /// The person performs an action of the profile in the app.
  mutating func use(_ action: String, arguments: [JSONValue.Member], in moment: AppContext) throws(CommandProblem) {
    let plan = try plan(of: action, moment.app)
    let followed = try followed(action, arguments: arguments, follows: plan.follows)
    if let followed, action == plan.follows?.follow { try requireRoom(for: followed, moment) }
    let phone = fleet.phone(moment.device)
    if phone.installs[moment.app].life != .foreground {
      begin(visit(to: phone, quits: false), moment)
    }
    if let followed {
      if action == plan.follows?.follow {
        reports[moment].follow(followed)
      } else {
        reports[moment].unfollow(followed)
      }
    }
    emit(.action(action), about: .arguments(arguments), followed: followed, in: moment)
    sendCalls(moment)
  }

  /// The app's reports, if it has that action.
  private func plan(of action: String, _ app: Int) throws(CommandProblem) -> ReportPlan {
    if let plan = reports.reports(app), plan.reports(.action(action)) { return plan }
    let bundle = fleet.plan.apps[app].bundleID
    let known = reports.reports(app)?.actions ?? []
    throw CommandProblem(
      .unknown, field: "action",
      sentence: known.isEmpty
        ? "\(bundle) has no actions: its profile declares none (reports.on.action.NAME), or it has no backend to call."
        : "\(bundle) has no action \(action); its actions are \(known.joined(separator: ", ")).")
  }

  /// The thing that is followed or unfollowed; nil if the action is about neither.
  private func followed(
    _ action: String, arguments: [JSONValue.Member], follows: ReportPlan.Follows?
  ) throws(CommandProblem) -> String? {
    guard let follows, action == follows.follow || action == follows.unfollow else { return nil }
    let value = arguments.last { $0.key == follows.key }?.value
    guard let value, value != .null else {
      throw CommandProblem(
        .impossible, field: "arguments", sentence: "\(action) needs the argument \(follows.key): what to follow.")
    }
    return value.string ?? value.text
  }

  /// Maximum number of bytes of what is followed: backends use ids.
  private static let mostFollowedBytes = 256

  /// Follows are kept until they are revoked, so there is a limit.
  private func requireRoom(for followed: String, _ moment: AppContext) throws(CommandProblem) {
    guard followed.utf8.count <= Self.mostFollowedBytes else {
      throw CommandProblem(
        .impossible, field: "arguments",
        sentence: "What is followed has at most \(Self.mostFollowedBytes) bytes, not \(followed.utf8.count).")
    }
    let isFollowed = reports[moment.device, moment.app].followed.contains(followed)
    guard reports.follows < reports.mostFollows || isFollowed else {
      throw CommandProblem(
        .impossible, field: "action",
        sentence:
          "The phones of this fleet follow \(reports.mostFollows) things already, and not more; unfollow some first.")
    }
  }

  /// Opens an app once, so that its backend knows it, and returns it to its earlier state.
  mutating func openFirst(_ moment: AppContext) {
    let phone = fleet.phone(moment.device)
    let install = phone.installs[moment.app]
    guard install.isInstalled, install.life != .foreground else { return }
    if install.life.hasProcess {
      ask(moment.device, at: moment.now) {
        $0.stop(moment.app, as: .terminated, &$1)
      }
    }
    begin(visit(to: phone, quits: install.life == .forceQuit), moment)
  }

  private func visit(to phone: Phone, quits: Bool) -> AppVisit {
    AppVisit(locks: phone.isLocked, darkens: !phone.condition.contains(.screenOn), quits: quits)
  }

  private mutating func begin(_ visit: AppVisit, _ moment: AppContext) {
    ask(moment.device, at: moment.now) { $0.open(moment.app, &$1) }
    schedule.add(
      .visitEnds(
        moment.device, app: moment.app, locks: visit.locks, darkens: visit.darkens, quits: visit.quits),
      due: moment.now.advanced(by: reports.plan.visit))
  }

  mutating func end(_ visit: AppVisit, _ moment: AppContext) {
    let (app, device, now) = (moment.app, moment.device, moment.now)
    let phone = fleet.phone(device)
    guard phone.installs[app].life == .foreground else { return }
    ask(device, at: now) { $0.leave(app, &$1) }
    if visit.quits { ask(device, at: now) { $0.stop(app, as: .forceQuit, &$1) } }
    if visit.locks, !phone.isLocked { ask(device, at: now) { $0.lock(&$1) } }
    if visit.darkens, fleet.phone(device).condition.contains(.screenOn) {
      ask(device, at: now) { $0.darkenScreen(&$1) }
    }
  }
}
