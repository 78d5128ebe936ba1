import APNs
import Devices
import Timeline

/// All devices: a function of the seed, and the phone of each that has been touched.
package struct Fleet: Sendable {
  /// By reference: a fleet is handed about as a copy of its fields, and the plan is most of them.
  let ground: Ground
  package var plan: FleetPlan { ground.plan }
  package let model: PhoneModel
  var rulebook: Rulebook { ground.rulebook }
  /// Activities of the fleet itself began then.
  let began: Instant

  package let sealed: SealedTokens
  private let versionDraw: Chance
  private let buildDraw: Chance
  private let noticeDraw: Chance
  let activityDraw: Chance
  private let partsInAll: UInt64
  private let pristineInstalls: [Install]

  /// Place of each device in `phones`, plus one; 0 for the untouched. Empty until the first is touched.
  private var places: ContiguousArray<UInt32> = []
  var phones: ContiguousArray<Phone> = []
  private var given: [DeviceToken: Address] = [:]
  private var givenTexts: [Address: DeviceToken] = [:]

  /// Most tokens a user may register.
  package static let mostGiven = 1_000_000

  package init(_ plan: FleetPlan, rulebook: Rulebook, began: Instant) {
    ground = Ground(plan: plan, rulebook: rulebook)
    hasRunningActivities = plan.hasRunningActivities
    model = PhoneModel(
      apps: plan.apps, policy: plan.policy, budget: plan.budget, mix: plan.phones, seed: plan.seed)
    self.began = began
    sealed = SealedTokens(
      TokenSeal(seed: plan.seed), sizes: plan.apps.map(\.tokenSizes), devices: plan.devices)
    let chance = Chance(seed: plan.seed)
    versionDraw = chance.stream(for: "iOS version")
    buildDraw = chance.stream(for: "build")
    noticeDraw = chance.stream(for: "uninstall notice")
    activityDraw = chance.stream(for: "activity id")
    partsInAll = plan.mix.reduce(0) { $0 + $1.parts }
    pristineInstalls = plan.apps.map { Install($0, plan.policy, worldBegan: began) }
  }

  final class Ground: Sendable {
    let plan: FleetPlan
    let rulebook: Rulebook

    init(plan: FleetPlan, rulebook: Rulebook) {
      self.plan = plan
      self.rulebook = rulebook
    }
  }

  package var policy: DevicePolicy { model.policy }
  let hasRunningActivities: Bool
  package var touchedCount: Int { phones.count }

  package func contains(_ device: DeviceID) -> Bool { device.number < ground.plan.devices }

  package func os(of device: DeviceID) -> OSVersion {
    guard let place = place(device) else { return drawnOS(of: device) }
    return phones[place].os
  }

  private func drawnOS(of device: DeviceID) -> OSVersion {
    var drawn = partsInAll == 0 ? 0 : versionDraw.below(partsInAll, UInt64(device.number))
    for share in plan.mix {
      if drawn < share.parts { return share.os }
      drawn -= share.parts
    }
    return plan.mix.last?.os ?? OSVersion(18, 0)
  }

  package func environment(of device: DeviceID, app: Int) -> Environment {
    switch ground.plan.apps[app].build {
    case .sandbox: .sandbox
    case .production: .production
    case .mixed:
      buildDraw.below(2, UInt64(device.number), UInt64(app)) == 0 ? .sandbox : .production
    }
  }

  package func isOnline(_ device: DeviceID) -> Bool {
    // No closure here: one that sees the fleet has a copy of it made, a kilobyte for every push.
    guard let place = place(device) else { return model.isOnline(device) }
    return phones[place].isOnline
  }

  package func install(_ device: DeviceID, app: Int) -> Install {
    guard let place = place(device) else { return pristineInstalls[app] }
    return phones[place].installs[app]
  }

  /// The phone of a device, as it is or as the seed makes it.
  package func phone(_ device: DeviceID) -> Phone { place(device).map { phones[$0] } ?? makePhone(device) }

  private func makePhone(_ device: DeviceID) -> Phone {
    Phone(device, os: drawnOS(of: device), installs: pristineInstalls, model)
  }

  /// The text of a slot's present token.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot) -> DeviceToken? {
    guard let state = install(device, app: app).state(of: slot) else { return nil }
    return token(
      at: Address(device: device, app: app, slot: slot, generation: state.generation, isGiven: state.isGiven))
  }

  /// The text of the token that leads to an address.
  package func token(at address: Address) -> DeviceToken? {
    if address.isGiven { return givenTexts[address] }
    return sealed.token(for: address)
  }

  /// Makes the tokens of addresses that no user has registered, without the fleet.
  var tokenMaker: @Sendable (Address) -> DeviceToken { { [sealed] in sealed.token(for: $0) } }

  /// An activity's name, as `Activity.id` has it: a UUID.
  package func activityName(_ device: DeviceID, app: Int, number: UInt32) -> String {
    Self.activityName(device, app: app, number: number, activityDraw)
  }

  static func activityName(_ device: DeviceID, app: Int, number: UInt32, _ draw: Chance) -> String {
    NotificationID(bits: draw.wideBits(UInt64(device.number) << 16 | UInt64(app), UInt64(number))).text
  }

  // MARK: - Change

  /// The place of a device's phone among `phones`; from then on it is stored.
  mutating func touch(_ device: DeviceID) -> Int {
    if let place = place(device) { return place }
    if places.isEmpty {
      places = ContiguousArray(repeating: 0, count: Int(plan.devices))
      // Address space only, until phones are touched: growing by copies would hold the world for tens of milliseconds.
      phones.reserveCapacity(Int(plan.devices))
    }
    phones.append(makePhone(device))
    places[Int(device.number)] = UInt32(phones.count)
    return phones.count - 1
  }

  /// Changes a device; from then on it is stored.
  @discardableResult
  mutating func change<Result>(_ device: DeviceID, _ change: (inout Phone) -> Result) -> Result {
    change(&phones[touch(device)])
  }

  /// Makes a token the user already has the present token of a slot.
  ///
  /// Documented: an app may register the same value again, and it is good again ("Handling notification responses
  /// from APNs", on `Unregistered`).
  mutating func register(_ token: DeviceToken, _ device: DeviceID, app: Int, slot: TokenSlot) -> Registration {
    if let old = address(of: token) {
      let isHere = old.device == device && old.app == app && old.slot == slot
      // One that is not there yet is nobody's to bring.
      let present = install(device, app: app).state(of: slot)?.generation ?? 0
      guard isHere, old.generation < present else { return .known }
    }
    guard given.count < Self.mostGiven else { return .full }
    let generation = change(device) { state in
      state.installs[app].change(slot) { token in
        token.take()
        return token.generation
      }
    }
    guard let generation else { return .full }
    let address = Address(device: device, app: app, slot: slot, generation: generation, isGiven: true)
    given[token] = address
    givenTexts[address] = token
    return .done
  }

  /// What came of registering a token.
  enum Registration {
    case done
    /// It leads somewhere already.
    case known
    case full
  }

  /// When APNs learns of a dead token that a push has just reached.
  func drawNotice(_ address: Address, at now: Instant) -> Instant {
    let subject = UInt64(address.device.number) << 16 | UInt64(address.app)
    return now.advanced(
      by: noticeDraw.duration(in: policy.uninstallNotice, subject, UInt64(address.generation)))
  }

  // MARK: - Look-up

  /// Where a token leads: one that the user registered, or one of the seed.
  func address(of token: DeviceToken) -> Address? {
    if !given.isEmpty, let address = given[token] { return address }
    return sealed.address(of: token)
  }

  func place(_ device: DeviceID) -> Int? {
    guard !places.isEmpty, device.number < ground.plan.devices else { return nil }
    let place = places[Int(device.number)]
    return place == 0 ? nil : Int(place) - 1
  }

  /// What is known of a slot's token on the device itself, in the words of `TokenStatus`.
  func status(_ address: Address, at now: Instant) -> TokenStatus {
    if case .service(let suffix) = address.slot, !ground.plan.apps[address.app].services.contains(suffix) {
      return .unknown
    }
    guard let place = place(address.device) else {
      return pristineInstalls[address.app].status(
        of: address, drawnOS(of: address.device), model.policy.startTokens, at: now)
    }
    return phones[place].status(of: address, model.policy.startTokens, at: now)
  }
}

extension Fleet {
  /// Activities of an app that a token updates now.
  func findUpdatable(
    _ device: DeviceID, app: Int, at now: Instant, _ show: (LiveActivity.Updatable) -> Void
  ) {
    // Only the activities are taken out: a copy of an install costs more than the answer.
    let activities = place(device).map { phones[$0].installs[app].activities } ?? pristineInstalls[app].activities
    LiveActivity.showUpdatable(among: activities, at: now, show)
  }

  /// Whether a token is dead and waits for a push to tell APNs of it.
  func awaitsNotice(_ address: Address, at now: Instant) -> Bool {
    let state = install(address.device, app: address.app).state(of: address.slot)
    return state?.status(of: address, at: now) == .lingering(waitsForPush: true)
  }
}

extension Fleet: TokenDirectory {
  package func status(
    of token: DeviceToken, in environment: Environment, at now: Instant
  ) -> TokenStatus {
    guard let address = address(of: token) else { return .unknown }
    return status(of: address, in: environment, at: now)
  }

  package func status(of address: Address, in environment: Environment, at now: Instant) -> TokenStatus {
    guard self.environment(of: address.device, app: address.app) == environment else { return .unknown }
    return status(address, at: now)
  }

  package func belongs(_ address: Address, to topic: Topic) -> Bool {
    topic.suffix == address.slot.suffix && topic.bundleID == ground.plan.apps[address.app].bundleID
  }

  package mutating func admit(_ address: Address, at now: Instant) -> Bool {
    let limit: RequestRate?
    if case .update = address.slot { limit = rulebook.updateTokenRate } else { limit = rulebook.otherTokenRate }
    guard let limit else { return true }
    return phones[touch(address.device)].admit(address, limit, at: now)
  }
}
