import APNs
import Devices
import Timeline

/// A device as the admin API shows it.
extension Partition {
  func device(_ id: DeviceID, at now: Instant) -> DeviceView? {
    guard fleet.contains(id) else { return nil }
    let phone = fleet.phone(id)
    return DeviceView(
      id: id, os: phone.os, isOnline: phone.isOnline, condition: phone.condition, hasIsland: phone.hasIsland,
      hasWatch: phone.hasWatch, clockAhead: phone.clockAhead, waiting: store.waiting(for: id),
      apps: fleet.plan.apps.indices.map { view(of: $0, on: phone, at: now) })
  }

  private func view(of app: Int, on phone: Phone, at now: Instant) -> DeviceView.App {
    let id = phone.id
    let profile = fleet.plan.apps[app]
    let install = phone.installs[app]
    let hasStart = install.hasTokens && install.hasStartToken(phone.os, fleet.policy.startTokens)
    func text(_ slot: TokenSlot) -> String? { fleet.token(id, app: app, slot: slot)?.text }
    return DeviceView.App(
      profile: profile, environment: fleet.environment(of: id, app: app), isInstalled: install.isInstalled,
      life: install.life, permission: install.permission, allowances: install.allowances,
      level: phone.level(app, fleet.model), startsLeft: phone.startsLeft(app, fleet.model, at: now),
      deviceToken: install.hasTokens ? text(.app) : nil,
      startTokens: hasStart
        ? profile.attributesTypes.enumerated().compactMap { type, name in
          text(.pushToStart(type: type)).map { DeviceView.StartToken(attributesType: name, token: $0) }
        } : [],
      services: install.hasTokens
        ? profile.services.compactMap { suffix in
          text(.service(suffix)).map { DeviceView.Service(kind: .service(suffix), token: $0) }
        } : [],
      activities: install.activities.map { activity in
        DeviceView.Activity(
          id: fleet.activityName(id, app: app, number: activity.number),
          attributesType: profile.attributesTypes[activity.type],
          state: activity.state(fleet.policy, at: now), startedAt: activity.startedAt,
          endedAt: activity.endedAt ?? (activity.expiry <= now ? activity.expiry : nil),
          origin: activity.origin,
          budgetLeft: activity.isRunning(at: now)
            ? phone.budgetLeft(app, activity: activity.number, fleet.model, at: now) : nil,
          token: activity.hasToken && activity.updates == .token ? text(.update(activity: activity.number)) : nil)
      })
  }
}
