import APNs
import Devices
import Timeline

/// All devices: a function of the seed, plus the phones of the devices that have been used.
package struct Fleet: Sendable {
  /// Boxed: copying a fleet would retain every field of the plan.
  let configuration: Configuration
  package var plan: FleetPlan { configuration.plan }
  package let model: PhoneBehavior
  var rulebook: Rulebook { configuration.rulebook }
  /// Copied from the plan, because reading the plan through `configuration` retains.
  private let devices: UInt32
  private let cellSeats: CellSeats?
  /// The time at which the fleet's own activities began.
  let began: Instant

  package let sealed: SealedTokens
  private let versionDraw: Chance
  private let buildDraw: Chance
  private let noticeDraw: Chance
  let activityDraw: Chance
  private let partsInAll: UInt64
  private let initialInstalls: [Install]

  /// Index in `phones` of each device of this process, plus one; 0 for an untouched device. Empty until the first is
  /// touched.
  private(set) var places: ContiguousArray<UInt32> = []
  package var phones: ContiguousArray<Phone> = []
  private(set) var registeredTokens = RegisteredTokens()

  /// Maximum number of tokens that users may register.
  package static let mostRegistered = 1_000_000

  package init(_ plan: FleetPlan, rulebook: Rulebook, began: Instant) {
    configuration = Configuration(plan: plan, rulebook: rulebook)
    devices = plan.devices
    cellSeats = plan.cell.map { CellSeats($0) }
    hasRunningActivities = plan.hasRunningActivities
    model = PhoneBehavior(
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
    initialInstalls = plan.apps.map { Install($0, plan.policy, worldBegan: began) }
  }

  final class Configuration: Sendable {
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

  package func contains(_ device: DeviceID) -> Bool { device.number < devices }
  /// True if a device is simulated by this process, and not by another cell. In scenarios, what is about devices of
  /// other cells is left to them.
  package func owns(_ device: DeviceID) -> Bool { cellSeats.map { $0.seat(of: device) != nil } ?? true }

  package func os(of device: DeviceID) -> OSVersion {
    guard let place = place(device) else { return drawnOS(of: device) }
    return phones[place].os
  }

  private func drawnOS(of device: DeviceID) -> OSVersion {
    var drawn = partsInAll == 0 ? 0 : versionDraw.below(partsInAll, subject: UInt64(device.number))
    for share in plan.mix {
      if drawn < share.parts { return share.os }
      drawn -= share.parts
    }
    return plan.mix.last?.os ?? OSVersion(18, 0)
  }

  package func owner(of device: DeviceID) -> UserID { model.ownership.owner(of: device) }

  package var hasSecondPhones: Bool { model.mix.twoPhones.numerator > 0 }

  /// The phones of a person, in the order of their numbers; empty if nobody in this fleet has that id.
  package func phones(of user: UserID) -> [DeviceID] { model.ownership.phones(of: user, in: devices) }

  package func environment(of device: DeviceID, app: Int) -> Environment {
    switch configuration.plan.apps[app].build {
    case .sandbox: .sandbox
    case .production: .production
    case .mixed:
      buildDraw.below(2, subject: UInt64(device.number), count: UInt64(app)) == 0 ? .sandbox : .production
    }
  }

  @inline(__always)
  package func isOnline(_ device: DeviceID) -> Bool {
    guard let place = place(device) else { return model.isOnline(device) }
    return phones[place].isOnline
  }

  package func install(_ device: DeviceID, app: Int) -> Install {
    guard let place = place(device) else { return initialInstalls[app] }
    return phones[place].installs[app]
  }

  /// The phone of a device, as stored or as the seed makes it.
  package func phone(_ device: DeviceID) -> Phone { place(device).map { phones[$0] } ?? makePhone(device) }

  private func makePhone(_ device: DeviceID) -> Phone {
    Phone(device, os: drawnOS(of: device), installs: initialInstalls, model)
  }

  /// The current token of a slot.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot) -> DeviceToken? {
    guard let state = install(device, app: app).state(of: slot) else { return nil }
    return token(
      at: Address(device: device, app: app, slot: slot, generation: state.generation, isGiven: state.isGiven))
  }

  /// The token of an address.
  package func token(at address: Address) -> DeviceToken? {
    if address.isGiven { return registeredTokens.token(at: address) }
    return sealed.token(for: address)
  }

  /// Makes the tokens of addresses that no user has registered, without access to the fleet.
  package var tokenMaker: @Sendable (Address) -> DeviceToken { { [sealed] in sealed.token(for: $0) } }

  /// The id of an activity, as `Activity.id` returns it: a UUID.
  package func activityName(_ device: DeviceID, app: Int, number: UInt32) -> String {
    Self.activityName(device, app: app, number: number, activityDraw)
  }

  static func activityName(_ device: DeviceID, app: Int, number: UInt32, _ draw: Chance) -> String {
    NotificationID(bits: draw.wideBits(UInt64(device.number) << 16 | UInt64(app), UInt64(number))).text
  }

  // MARK: - Changes

  /// The index of a device's phone in `phones`; the phone is stored from now on.
  mutating func touch(_ device: DeviceID) -> Int {
    if let place = place(device) { return place }
    // Whoever calls has asked `owns`, or has found the device among those of this process.
    guard let seat = seat(of: device) else { preconditionFailure("\(device.text) is not in this process") }
    if places.isEmpty {
      places = ContiguousArray(repeating: 0, count: Int(plan.ownDevices))
      // Reserves address space only, until phones are touched: growing by copying would hold the lock for tens of
      // milliseconds.
      phones.reserveCapacity(Int(plan.ownDevices))
    }
    phones.append(makePhone(device))
    places[seat] = UInt32(phones.count)
    return phones.count - 1
  }

  /// The number of devices that the table of touched devices has room for.
  var seats: Int { places.count }

  /// The place of a device in the table; nil if it does not exist, or belongs to another cell.
  @inline(__always)
  private func seat(of device: DeviceID) -> Int? {
    guard device.number < devices else { return nil }
    guard let cellSeats else { return Int(device.number) }
    return cellSeats.seat(of: device)
  }

  /// Changes a device, which is stored from now on.
  @discardableResult
  mutating func change<Result>(_ device: DeviceID, _ change: (inout Phone) -> Result) -> Result {
    change(&phones[touch(device)])
  }

  /// Makes a token registered by the user the current token of a slot.
  ///
  /// Documented: an app may register the same value again, which makes it valid again ("Handling notification responses
  /// from APNs", on `Unregistered`).
  mutating func register(_ token: DeviceToken, _ device: DeviceID, app: Int, slot: TokenSlot) -> Registration {
    if let old = address(of: token) {
      let isHere = old.device == device && old.app == app && old.slot == slot
      // A token of a future generation is not issued yet, so it cannot be registered.
      let present = install(device, app: app).state(of: slot)?.generation ?? 0
      guard isHere, old.generation < present else { return .known }
    }
    guard registeredTokens.count < Self.mostRegistered else { return .full }
    let generation = change(device) { state in
      state.changeToken(of: slot, app) { token in
        token.take()
        return token.generation
      }
    }
    guard let generation else { return .full }
    let address = Address(device: device, app: app, slot: slot, generation: generation, isGiven: true)
    registeredTokens.add(token, address, made: sealed.address(of: token))
    return .done
  }

  /// The result of registering a token.
  enum Registration {
    case done
    /// The token already belongs to an address.
    case known
    case full
  }

  /// Time at which APNs learns of a dead token that a push has just reached.
  func drawNotice(_ address: Address, at now: Instant) -> Instant {
    let subject = UInt64(address.device.number) << 16 | UInt64(address.app)
    return now.advanced(
      by: noticeDraw.duration(in: policy.uninstallNotice, subject: subject, count: UInt64(address.generation)))
  }

  // MARK: - Lookup

  /// The address of a token: registered by the user, or made from the seed.
  func address(of token: DeviceToken) -> Address? {
    if let address = registeredTokens.address(of: token) { return address }
    return sealed.address(of: token)
  }

  // Inlined, as most look-ups here: a call from a function that may change the fleet would copy the fleet.
  @inline(__always)
  func place(_ device: DeviceID) -> Int? {
    guard !places.isEmpty, let seat = seat(of: device) else { return nil }
    let place = places[seat]
    return place == 0 ? nil : Int(place) - 1
  }

  /// The status of a slot's token on the device itself.
  @inline(__always)
  func status(_ address: Address, at now: Instant) -> TokenStatus {
    if case .service(let suffix) = address.slot, !configuration.plan.apps[address.app].services.contains(suffix) {
      return .unknown
    }
    guard let place = place(address.device) else {
      return initialInstalls[address.app].status(
        of: address, drawnOS(of: address.device), model.policy.startTokens, at: now)
    }
    return phones[place].status(of: address, model.policy.startTokens, at: now)
  }
}

extension Fleet {
  /// Activities of an app that a token can update now.
  @inline(__always)
  func findUpdatable(
    _ device: DeviceID, app: Int, at now: Instant, _ show: (LiveActivity.Updatable) -> Void
  ) {
    // Only the activities are taken: copying an install costs more than the answer.
    let activities = place(device).map { phones[$0].installs[app].list.all } ?? initialInstalls[app].list.all
    LiveActivity.showUpdatable(among: activities, at: now, show)
  }

  /// True if a token is dead and APNs will learn it from the next push.
  func awaitsNotice(_ address: Address, at now: Instant) -> Bool {
    let state = install(address.device, app: address.app).state(of: address.slot)
    return state?.status(of: address, at: now) == .lingering(waitsForPush: true)
  }
}

extension Fleet: TokenDirectory {
  package func status(
    of token: DeviceToken, in environment: Environment, at now: Instant
  ) -> TokenStatus {
    // Routers know only this byte, so it decides for unknown tokens too.
    if let cell = configuration.plan.cell, let partition = token.partition, !cell.owns(partition: partition) {
      return .ofOtherCell
    }
    guard let address = address(of: token) else { return .unknown }
    return status(of: address, in: environment, at: now)
  }

  @inline(__always)
  package func status(of address: Address, in environment: Environment, at now: Instant) -> TokenStatus {
    guard owns(address.device) else { return .ofOtherCell }
    guard self.environment(of: address.device, app: address.app) == environment else { return .unknown }
    // Callers that know no fleet read the address out of the token.
    return status(registeredTokens.current(address), at: now)
  }

  @inline(__always)
  package func belongs(_ address: Address, to topic: Topic) -> Bool {
    topic.suffix == address.slot.suffix && topic.bundleID == configuration.plan.apps[address.app].bundleID
  }

  @inline(__always)
  package mutating func admit(_ address: Address, at now: Instant) -> Bool {
    let limit: RequestRate?
    if case .update = address.slot { limit = rulebook.updateTokenRate } else { limit = rulebook.otherTokenRate }
    guard let limit else { return true }
    return phones[touch(address.device)].admit(address, limit, at: now)
  }
}
