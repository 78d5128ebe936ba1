import APNs
import Devices
import Timeline

/// A device as the admin API shows it.
extension DeviceState {
  func device(_ id: DeviceID, at now: Instant) -> DeviceView? {
    guard fleet.contains(id) else { return nil }
    let phone = fleet.phone(id)
    return DeviceView(
      id: id, user: fleet.owner(of: id), os: phone.os, isOnline: phone.isOnline, condition: phone.condition,
      hasIsland: phone.hasIsland, hasWatch: phone.hasWatch, clockAhead: phone.clockAhead,
      waiting: store.waiting(for: id),
      apps: fleet.plan.apps.indices.map { view(of: $0, on: phone, at: now) })
  }

  /// Devices from number `start` on, and where to continue.
  ///
  /// - Parameter most: maximum number of devices to look at.
  func devices(
    _ filter: Filter, from start: UInt32, limit: Int, most: UInt32 = World.mostScanned, at now: Instant
  ) -> (devices: [DeviceView], next: UInt32?) {
    let filter = fleet.resolved(filter)
    let matcher = Matcher(filter, apps: fleet.plan.apps.map(\.bundleID))
    if let named = filter.devices {
      let left = named.filter { $0.number >= start && fleet.owns($0) && fleet.matches(matcher, $0) }
      return (left.prefix(limit).compactMap { device($0, at: now) }, left.dropFirst(limit).first?.number)
    }
    var found: [DeviceView] = []
    let next = fleet.scan(from: start, most: most, of: fleet.plan.cell) { id in
      guard found.count < limit else { return false }
      guard fleet.matches(matcher, id), let view = device(id, at: now) else { return true }
      found.append(view)
      return true
    }
    return (found, next)
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
