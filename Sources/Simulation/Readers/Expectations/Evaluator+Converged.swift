import APNs
import Devices
import Timeline
import WireFormats

/// Compares the state of phones with what backends must believe, in portions.
///
/// Cards are compared with the last accepted push for them, tokens with the last ones reported with a 2xx answer.
struct ConvergenceSearch: Sendable {
  /// A difference between a screen and the pushes that the provider sent.
  fileprivate struct Difference: Sendable {
    let sentence: String
    var record: PushRecord?
    var report: CallEnd?
  }

  private var devices: DeviceCursor
  /// Nil for all apps.
  private let app: Int?
  fileprivate private(set) var compared = 0
  fileprivate private(set) var differences = FailureSample<Difference>()

  init(_ selection: Selection, _ app: Int?) {
    devices = DeviceCursor(selection)
    self.app = app
  }

  /// - Returns: whether all phones were compared.
  mutating func look(_ evaluator: Evaluator, observer: Observer, work: inout Int) -> Bool {
    let (screens, tokens) = (observer.expectedScreens ?? ExpectedScreens(), observer.tokens)
    let apps = evaluator.world.fleet.plan.apps.indices.filter { app ?? $0 == $0 }
    let each = ExpectationSearch.screen * max(1, apps.count)
    while work > 0 {
      let most = min(Selection.mostChanged, work / each)
      guard let page = devices.next(in: evaluator.world, most: most, &work) else { return true }
      work -= each * page.count
      for device in page {
        for number in apps {
          let (count, found) = evaluator.compare(device, app: number, screens: screens, tokens: tokens)
          compared += count
          for difference in found { differences.add(difference) }
        }
      }
    }
    return false
  }
}

extension Evaluator {
  fileprivate typealias Difference = ConvergenceSearch.Difference

  func result(of search: ConvergenceSearch) -> Verdict {
    let nothing = "no known card and no reported token, so nothing was tested"
    let found = search.differences
    var verdict = self.verdict(
      Requirement(kind: .all, nothing: nothing), Figures(meant: search.compared, met: search.compared - found.count))
    verdict.wanted = "every card to show the last accepted push, and every token to be the last reported one"
    guard let first = found.first.first else { return verdict }
    verdict.nearest = first.sentence
    verdict.pushes = found.first.compactMap { $0.record.map { words(latest($0)) } }
    verdict.calls = found.first.compactMap { $0.report.map(words) }
    return verdict
  }

  fileprivate func compare(
    _ device: DeviceID, app: Int, screens expectedScreens: ExpectedScreens, tokens: ReportedTokens
  ) -> (compared: Int, [Difference]) {
    let install = world.fleet.install(device, app: app)
    guard install.isInstalled else { return (0, []) }
    var compared = 0
    var differences: [Difference] = []
    for activity in install.activities {
      guard let told = told(activity, app: app, on: device, screens: expectedScreens) else { continue }
      let isOver = activity.isOver(at: now)
      // Without an end from the backend, the activity was ended by the person or the system, which is not compared.
      guard told.isEnd || !isOver else { continue }
      compared += 1
      guard let sentence = difference(activity, from: told, app: app, on: device) else { continue }
      differences.append(Difference(sentence: sentence, record: told.record))
    }
    if world.deviceState.reports.reports(app) != nil, let list = tokens.installs[.init(device: device, app: app)] {
      for slot in slots(of: install, app: app, on: device) {
        guard let found = compare(slot, install: install, reports: list, app: app, on: device) else { continue }
        compared += 1
        differences += found
      }
    }
    return (compared, differences)
  }

  // MARK: - Cards

  private func told(_ activity: LiveActivity, app: Int, on device: DeviceID, screens expectedScreens: ExpectedScreens)
    -> ExpectedScreens.Accepted?
  {
    var told = expectedScreens.activities[.init(device: device, app: app, number: activity.number)]
    if case .channel(let id) = activity.updates {
      let home = ChannelOwner(
        world.fleet.environment(of: device, app: app), world.fleet.plan.apps[app].bundleID)
      let broadcast = expectedScreens.channels[.init(home: home, id: id)]
      if let broadcast, broadcast.at >= activity.startedAt, broadcast.at >= told?.at ?? .distantPast {
        told = broadcast
      }
    }
    return told
  }

  /// Compares a card with the push that the provider believes it shows. Nil if they are equal.
  private func difference(
    _ activity: LiveActivity, from told: ExpectedScreens.Accepted, app: Int, on device: DeviceID
  ) -> String? {
    let name = "\(device.text), activity \(activity.number) of \(apps[app])"
    let by =
      told.record.map { "push \($0.sequence)" } ?? "the broadcast at \(DurationText.write(began.duration(to: told.at)))"
    let state = activity.state(world.fleet.policy, at: now).rawValue
    if told.isEnd {
      return activity.isOver(at: now)
        ? nil : "\(name): the card is \(state), but the backend believes that it has ended (\(by))"
    }
    // Content set by the app itself is not compared.
    if case .local = activity.content { return nil }
    guard let wanted = told.content else { return nil }
    let found = activity.shown(at: now).content.value("content-state") ?? .null
    if wanted.isSame(as: found) { return nil }
    return "\(name): the card (\(state)) shows \(found.text), but the backend believes \(wanted.text) (\(by))"
  }

  /// A push with its current fate, as far as the push log keeps it.
  private func latest(_ record: PushRecord) -> ObservedPush {
    let latest = pushLog.push(number: record.sequence) ?? record
    return ObservedPush(latest, step: nil, name: nil)
  }

  // MARK: - Tokens

  /// The current tokens of the app.
  private func slots(of install: Install, app: Int, on device: DeviceID) -> [TokenSlot] {
    guard install.hasTokens else { return [] }
    let fleet = world.fleet
    let profile = fleet.plan.apps[app]
    var slots: [TokenSlot] = [.app] + profile.services.map { .service($0) }
    if install.hasStartToken(fleet.os(of: device), fleet.policy.startTokens) {
      slots += profile.types.indices.map { .pushToStart(type: $0) }
    }
    for activity in install.activities
    where activity.isRunning(at: now) && activity.hasToken && activity.updates == .token {
      slots.append(.update(activity: activity.number))
    }
    return slots
  }

  /// Nil if no app has tried to report such a token.
  private func compare(
    _ slot: TokenSlot, install: Install, reports list: [ReportedTokens.Report], app: Int, on device: DeviceID
  ) -> [Difference]? {
    let told = list.compactMap { told -> (told: ReportedTokens.Report, address: Address)? in
      guard let address = world.fleet.address(of: told.token), address.device == device, address.app == app,
        address.slot == slot
      else { return nil }
      return (told, address)
    }
    guard let latest = told.last, let state = install.state(of: slot) else { return nil }
    let taken = told.last { $0.told.isTaken }
    if let taken, taken.address.generation == state.generation, taken.address.isGiven == state.isGiven { return [] }
    let present = world.fleet.token(device, app: app, slot: slot).map { " " + Self.short($0) } ?? ""
    let name = "\(device.text), \(slot.kind.name) token of \(apps[app]): the phone has\(present)"
    let expectedScreens = taken.map { "last accepted \(Self.short($0.told.token))" } ?? "has accepted none"
    return [Difference(sentence: "\(name), but the backend \(expectedScreens)", report: latest.told.end)]
  }

  private static func short(_ token: DeviceToken) -> String { token.text.prefix(12) + "…" }
}
