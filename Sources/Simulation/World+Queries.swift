import APNs
import Devices
import Timeline

extension Selection {
  /// Devices that one request of the admin API changes, or names.
  package static let mostChanged = 10_000
  /// Devices that one command looks at, and changes, which is far more work. The rest takes another command, so that
  /// none holds the world for long.
  static let mostLookedAtAtOnce: UInt32 = 10_000
  static let mostChangedAtOnce = 100
  static let mostEventsAtOnce = 500
}

/// Questions people ask; none changes anything.
extension World {
  /// What a list of devices may be narrowed to.
  package struct DeviceFilter: Hashable, Sendable {
    package var app: String?
    package var os: OSVersion?
    /// Narrows to a major version where `os` would be too narrow.
    package var osMajor: Int?
    package var isOnline: Bool?

    package init() {}
  }

  /// Devices looked at for one page at the most, so that no question holds the world for long.
  package static let mostScanned: UInt32 = 100_000
  /// Devices whose tokens are gone through for one page at the most; that is far more work than to pass one over.
  package static let mostExamined = 5_000

  package func screen(of device: DeviceID, at now: Instant) -> Screen { partition.screen(of: device, at: now) }

  /// Calls of apps that wait for their backend: whoever moves a manual clock lets them end first. One that is delayed
  /// waits for that clock itself.
  package var openCalls: Int { partition.reports.onWire }

  package func device(_ id: DeviceID, at now: Instant) -> DeviceView? {
    guard fleet.contains(id) else { return nil }
    let phone = fleet.phone(id)
    return DeviceView(
      id: id, os: phone.os, isOnline: phone.isOnline, condition: phone.condition, hasIsland: phone.hasIsland,
      hasWatch: phone.hasWatch, waiting: partition.store.waiting(for: id),
      apps: fleet.plan.apps.indices.map { view(of: $0, on: phone, at: now) })
  }

  /// The devices of a selection, and where to go on when there are more than one order takes.
  package func devices(of selection: Selection) -> (devices: [DeviceID], next: UInt32?) {
    let draw = selectionDraw(selection)
    if let named = selection.devices {
      return (named.filter { fleet.contains($0) && isMeant($0, by: selection, draw) }, nil)
    }
    var found: [DeviceID] = []
    let next = scan(from: selection.start) { id in
      guard found.count < Selection.mostChanged else { return false }
      if isMeant(id, by: selection, draw) { found.append(id) }
      return true
    }
    return (found, next)
  }

  func selectionDraw(_ selection: Selection) -> Chance {
    Chance(seed: fleet.plan.seed).stream(for: "selection " + selection.shareName)
  }

  func isMeant(_ id: DeviceID, by selection: Selection, _ draw: Chance) -> Bool {
    covers(selection.filter, id) && draw.strikes(selection.share, UInt64(id.number))
  }

  /// Devices from number `start` on, and where to go on.
  ///
  /// - Parameter most: devices looked at, at the most.
  package func devices(
    _ filter: DeviceFilter, from start: UInt32, limit: Int, most: UInt32 = mostScanned, at now: Instant
  ) -> (devices: [DeviceView], next: UInt32?) {
    var found: [DeviceView] = []
    let next = scan(from: start, most: most) { id in
      guard found.count < limit else { return false }
      guard covers(filter, id), let view = device(id, at: now) else { return true }
      found.append(view)
      return true
    }
    return (found, next)
  }

  /// What a list of tokens may be narrowed to.
  package struct TokenFilter: Sendable {
    package var kind: TokenKind?
    package var app: String?
    package var environment: Environment?
    package var isLive: Bool?

    package init() {}
  }

  /// Where a list of tokens goes on: the device, and how many of its tokens have been given.
  package struct TokenCursor: Hashable, Sendable {
    package let device: UInt32
    package let skip: Int

    package init(device: UInt32, skip: Int) {
      self.device = device
      self.skip = skip
    }
  }

  /// - Parameters:
  ///   - most: devices looked at, at the most.
  ///   - mostExamined: devices whose tokens are gone through, at the most.
  package func tokens(
    _ filter: TokenFilter, from start: TokenCursor, limit: Int, most: UInt32 = mostScanned,
    examining mostExamined: Int = mostExamined, at now: Instant
  ) -> (tokens: [TokenView], next: TokenCursor?) {
    var found: [TokenView] = []
    var cut: TokenCursor?
    var examined = 0
    let untouched = fleet.plan.apps.indices.contains { mayWant(filter, untouched: $0, at: now) }
    let next = scan(from: start.device, most: most) { id in
      guard found.count < limit, examined < mostExamined else { return false }
      guard untouched || fleet.place(id) != nil else { return true }
      examined += 1
      let skip = id.number == start.device ? start.skip : 0
      let mine = tokens(of: id, filter, at: now).dropFirst(skip)
      let taken = mine.prefix(limit - found.count)
      found += taken
      if taken.count < mine.count { cut = TokenCursor(device: id.number, skip: skip + taken.count) }
      return cut == nil
    }
    return (found, cut ?? next.map { TokenCursor(device: $0, skip: 0) })
  }

  /// The token that a registration has just made current.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot, at now: Instant) -> TokenView? {
    guard let state = fleet.install(device, app: app).state(of: slot) else { return nil }
    let address = Address(device: device, app: app, slot: slot, generation: state.generation, isGiven: state.isGiven)
    return fleet.token(at: address).map { view(of: address, $0, at: now) }
  }

  // MARK: - Details

  private func scan(from start: UInt32, most: UInt32 = mostScanned, _ look: (DeviceID) -> Bool) -> UInt32? {
    var number = start
    while number < fleet.plan.devices {
      guard number - start < most, look(DeviceID(number)) else { return number }
      number += 1
    }
    return nil
  }

  private func covers(_ filter: DeviceFilter, _ id: DeviceID) -> Bool {
    if let online = filter.isOnline, fleet.isOnline(id) != online { return false }
    let os = fleet.os(of: id)
    if let wanted = filter.os, os != wanted { return false }
    if let major = filter.osMajor, os.major != major { return false }
    guard let app = filter.app else { return true }
    return fleet.plan.apps.indices.contains { index in
      fleet.plan.apps[index].bundleID == app && fleet.install(id, app: index).isInstalled
    }
  }

  /// Whether an app on a device that nothing has happened to may have a token that is wanted.
  private func mayWant(_ filter: TokenFilter, untouched app: Int, at now: Instant) -> Bool {
    let profile = fleet.plan.apps[app]
    if let wanted = filter.app, profile.bundleID != wanted { return false }
    switch (filter.environment, profile.build) {
    case (.sandbox, .production), (.production, .sandbox): return false
    default: break
    }
    // There, only what has run since the world began can be over.
    let runs = profile.runningActivities > 0 && !profile.types.isEmpty
    let isOver = fleet.began.advanced(by: fleet.habits.activityLife) <= now
    switch filter.kind {
    case nil: return filter.isLive != false || runs && isOver
    case .update: return runs && (filter.isLive.map { $0 != isOver } ?? true)
    case .device: return filter.isLive != false
    case .pushToStart: return filter.isLive != false && !profile.types.isEmpty
    case .service(let suffix): return filter.isLive != false && profile.services.contains(suffix)
    }
  }

  private func tokens(of id: DeviceID, _ filter: TokenFilter, at now: Instant) -> [TokenView] {
    var found: [TokenView] = []
    for app in fleet.plan.apps.indices {
      if let wanted = filter.app, fleet.plan.apps[app].bundleID != wanted { continue }
      if let wanted = filter.environment, fleet.environment(of: id, app: app) != wanted { continue }
      for address in addresses(of: app, on: id) {
        // The text of a token comes last: it is the dear part.
        if let kind = filter.kind, address.slot.kind != kind { continue }
        if let live = filter.isLive, isLive(address, at: now) != live { continue }
        guard let token = fleet.token(at: address) else { continue }
        found.append(view(of: address, token, at: now))
      }
    }
    return found
  }

  /// Where the tokens lead that an install has had: for each slot those of the past, then the present one.
  private func addresses(of app: Int, on id: DeviceID) -> [Address] {
    let profile = fleet.plan.apps[app]
    let install = fleet.install(id, app: app)
    var slots: [TokenSlot] = [.app]
    slots += profile.services.map { .service($0) }
    let os = fleet.os(of: id)
    let habits = fleet.habits.startTokens
    if habits.availability(on: os) == .onLaunch || install.hasStartToken(os, habits) {
      slots += profile.attributesTypes.indices.map { .pushToStart(type: $0) }
    }
    slots += install.activities.filter { $0.hasToken && $0.updates == .token }.map { .update(activity: $0.number) }
    return slots.flatMap { slot -> [Address] in
      guard let state = install.state(of: slot) else { return [] }
      // A removed app has no token; the one of its next generation is not yet issued.
      let present =
        install.hasTokens || slot.isActivity ? [(generation: state.generation, isGiven: state.isGiven)] : []
      return (state.past + present).map {
        Address(device: id, app: app, slot: slot, generation: $0.generation, isGiven: $0.isGiven)
      }
    }
  }

  /// Whether an installed app, and for an update token a running activity, stands behind a token.
  private func isLive(_ address: Address, at now: Instant) -> Bool {
    let install = fleet.install(address.device, app: address.app)
    guard install.isInstalled, install.state(of: address.slot)?.generation == address.generation else { return false }
    guard case .update(let number) = address.slot else { return true }
    return install.activity(number).map { !$0.isOver(at: now) } ?? false
  }

  private func view(of address: Address, _ token: DeviceToken, at now: Instant) -> TokenView {
    let (id, app, slot) = (address.device, address.app, address.slot)
    let profile = fleet.plan.apps[app]
    let install = fleet.install(id, app: app)
    var type: String?
    var activity: String?
    switch slot {
    case .app, .service: break
    case .pushToStart(let number): type = profile.attributesTypes[number]
    case .update(let number):
      let running = install.activity(number)
      type = running.map { profile.attributesTypes[$0.type] }
      activity = fleet.activityName(id, app: app, number: number)
    }
    return TokenView(
      token: token.text, kind: slot.kind, device: id, app: profile.bundleID,
      topic: profile.bundleID + slot.suffix.text, environment: fleet.environment(of: id, app: app),
      attributesType: type, activity: activity,
      isLive: isLive(address, at: now), isGiven: address.isGiven)
  }

  private func view(of app: Int, on phone: Phone, at now: Instant) -> DeviceView.App {
    let id = phone.id
    let profile = fleet.plan.apps[app]
    let install = phone.installs[app]
    let hasStart = install.hasTokens && install.hasStartToken(phone.os, fleet.habits.startTokens)
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
          state: activity.state(fleet.habits, at: now), startedAt: activity.startedAt,
          endedAt: activity.endedAt ?? (activity.expiry <= now ? activity.expiry : nil),
          origin: activity.origin,
          budgetLeft: activity.isRunning(at: now)
            ? phone.budgetLeft(app, activity: activity.number, fleet.model, at: now) : nil,
          token: activity.hasToken && activity.updates == .token ? text(.update(activity: activity.number)) : nil)
      })
  }
}
