import APNs
import Devices
import Timeline

/// The current and earlier tokens of devices.
extension Fleet {
  /// - Parameters:
  ///   - most: maximum number of devices to look at.
  ///   - mostExamined: maximum number of devices whose tokens are listed.
  func tokens(
    _ filter: Filter, from start: World.TokenCursor, limit: Int, most: UInt32 = World.mostScanned,
    examining mostExamined: Int = World.mostExamined, at now: Instant
  ) -> (tokens: [TokenView], next: World.TokenCursor?) {
    var found: [TokenView] = []
    var cut: World.TokenCursor?
    var examined = 0
    let matcher = Matcher(resolved(filter), apps: plan.apps.map(\.bundleID))
    let untouched = plan.apps.indices.contains { mayWant(filter, untouched: $0, at: now) }
    let next = scan(from: start.device, most: most, of: filter.cell ?? plan.cell) { id in
      guard found.count < limit, examined < mostExamined else { return false }
      guard untouched || place(id) != nil else { return true }
      examined += 1
      let skip = id.number == start.device ? start.skip : 0
      let mine = tokens(of: id, matcher, at: now).dropFirst(skip)
      let taken = mine.prefix(limit - found.count)
      found += taken
      if taken.count < mine.count { cut = World.TokenCursor(device: id.number, skip: skip + taken.count) }
      return cut == nil
    }
    return (found, cut ?? next.map { World.TokenCursor(device: $0, skip: 0) })
  }

  /// The token that a registration has just made current.
  func token(_ device: DeviceID, app: Int, slot: TokenSlot, at now: Instant) -> TokenView? {
    guard let state = install(device, app: app).state(of: slot) else { return nil }
    let address = Address(device: device, app: app, slot: slot, generation: state.generation, isGiven: state.isGiven)
    return token(at: address).map { view(of: address, $0, at: now) }
  }

  /// True if an app on an untouched device may have a token that matches the filter.
  private func mayWant(_ filter: Filter, untouched app: Int, at now: Instant) -> Bool {
    let profile = plan.apps[app]
    if let wanted = filter.app, profile.bundleID != wanted { return false }
    switch (filter.environment, profile.build) {
    case (.sandbox, .production), (.production, .sandbox): return false
    default: break
    }
    // On such a device, only activities that ran since the world began can have ended.
    let runs = profile.runningActivities > 0 && !profile.types.isEmpty
    let isOver = began.advanced(by: policy.activityLife) <= now
    switch filter.tokenKind {
    case nil: return filter.isLive != false || runs && isOver
    case .update: return runs && (filter.isLive.map { $0 != isOver } ?? true)
    case .device: return filter.isLive != false
    case .pushToStart: return filter.isLive != false && !profile.types.isEmpty
    case .service(let suffix): return filter.isLive != false && profile.services.contains(suffix)
    }
  }

  private func tokens(of id: DeviceID, _ matcher: Matcher, at now: Instant) -> [TokenView] {
    var found: [TokenView] = []
    for app in plan.apps.indices where !matcher.parts.contains(.app) || matcher.app == app {
      for address in addresses(of: app, on: id) {
        // The token's text comes last because it is expensive.
        var subject = TokenSubject(address, self, for: matcher) { isLive(address, at: now) }
        // Skip a token that was registered again: it now has another address.
        guard matcher.matches(&subject), let token = token(at: address), self.address(of: token) == address
        else { continue }
        found.append(view(of: address, token, at: now))
      }
    }
    return found
  }

  /// The addresses of an install's tokens: for each slot the earlier ones, then the current one.
  private func addresses(of app: Int, on id: DeviceID) -> [Address] {
    let profile = plan.apps[app]
    let install = install(id, app: app)
    var slots: [TokenSlot] = [.app]
    slots += profile.services.map { .service($0) }
    let os = os(of: id)
    let policy = policy.startTokens
    if policy.availability(on: os) == .onLaunch || install.hasStartToken(os, policy) {
      slots += profile.attributesTypes.indices.map { .pushToStart(type: $0) }
    }
    slots += install.activities.filter { $0.hasToken && $0.updates == .token }.map { .update(activity: $0.number) }
    return slots.flatMap { slot -> [Address] in
      guard let state = install.state(of: slot) else { return [] }
      // A removed app has no token; the token of its next generation is not issued yet.
      let present =
        install.hasTokens || slot.isActivity ? [(generation: state.generation, isGiven: state.isGiven)] : []
      return (state.past + present).map {
        Address(device: id, app: app, slot: slot, generation: $0.generation, isGiven: $0.isGiven)
      }
    }
  }

  /// True if the token's app is installed and, for an update token, its activity runs.
  private func isLive(_ address: Address, at now: Instant) -> Bool {
    let install = install(address.device, app: address.app)
    guard install.isInstalled, let state = install.state(of: address.slot), !state.isStale,
      state.generation == address.generation
    else { return false }
    guard case .update(let number) = address.slot else { return true }
    return install.activity(number).map { !$0.isOver(at: now) } ?? false
  }

  private func view(of address: Address, _ token: DeviceToken, at now: Instant) -> TokenView {
    let (id, app, slot) = (address.device, address.app, address.slot)
    let profile = plan.apps[app]
    let install = install(id, app: app)
    var type: String?
    var activity: String?
    switch slot {
    case .app, .service: break
    case .pushToStart(let number): type = profile.attributesTypes[number]
    case .update(let number):
      let running = install.activity(number)
      type = running.map { profile.attributesTypes[$0.type] }
      activity = activityName(id, app: app, number: number)
    }
    return TokenView(
      token: token.text, kind: slot.kind, device: id, app: profile.bundleID,
      topic: profile.bundleID + slot.suffix.text, environment: environment(of: id, app: app),
      attributesType: type, activity: activity,
      isLive: isLive(address, at: now), isGiven: address.isGiven)
  }
}
