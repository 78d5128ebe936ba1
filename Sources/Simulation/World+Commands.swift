import APNs
import Devices
import Timeline

extension World {
  /// Carries out an order, or throws the reason; a rejected order changes nothing.
  @discardableResult
  package mutating func perform(_ command: Command, at now: Now) throws(CommandProblem) -> CommandOutcome {
    if case .beginAnew = command {
      _ = beginAnew(at: now)
      return CommandOutcome()
    }
    let now = enter(.performed(command), at: now)
    defer { check(at: now.world) }
    switch command {
    case .device(let device, let action):
      try requireDevice(device)
      try perform(action, on: device, at: now.world)
    case .devices(let selection, let action): return perform(action, on: selection, at: now.world)
    case .setFault(let fault): try set(fault, at: now.world)
    case .deleteFault(let name): try deleteFault(name, at: now.world)
    case .deleteAllFaults: deleteAllFaults(at: now.world)
    case .deleteFaults(let name): try deleteFaults(of: name, at: now.world)
    case .beginAnew: break
    case .addKey(let key, let publicKey): try add(key, publicKey: publicKey)
    case .revokeKey(let id): try revoke(key: id)
    case .restoreKey(let id): try restore(key: id)
    case .revokeCertificate(let fingerprint): revoke(certificate: fingerprint, at: now)
    case .suspendCertificates(let name): try change(certificates: name, isSuspended: true, at: now)
    case .restoreCertificates(let name): try change(certificates: name, isSuspended: false, at: now)
    case .answer(let call, let outcome): deviceState.end(call, outcome, at: now.world)
    case .register(let token, let device, let app, let kind, let type, let activity):
      try requireDevice(device)
      try requirePartition(token, of: device)
      let named = TokenSlotName(kind, app: app, attributesType: type, activity: activity)
      let (app, slot) = try deviceState.fleet.register(token, on: device, as: named, at: now.world)
      output.append(.phone(device, app: app, .tokenRegistered(slot), at: now.world))
    }
    return CommandOutcome()
  }

  private func requireDevice(_ device: DeviceID) throws(CommandProblem) {
    guard fleet.contains(device) else {
      throw CommandProblem(.unknown, field: "device", sentence: fleet.unknown("device", device.text))
    }
    guard let sentence = fleet.foreignCellSentence(device) else { return }
    throw CommandProblem(.unknown, field: "device", sentence: sentence)
  }

  /// The order for a portion of a selection's devices, by number, or in the given order if they are named.
  private mutating func perform(_ action: DeviceAction, on selection: Selection, at now: Instant) -> CommandOutcome {
    var outcome = CommandOutcome()
    var count = PortionCount(waves.portion, output)
    let named = fleet.resolved(selection.filter).devices
    let end = named.map { UInt32($0.count) } ?? fleet.plan.devices
    let matcher = fleet.matcher(selection)
    for number in min(selection.start, end)..<end {
      guard count.hasRoom(output) else {
        outcome.next = number
        break
      }
      count.look()
      let device = named?[Int(number)] ?? DeviceID(number)
      guard fleet.contains(device), fleet.owns(device), fleet.matches(matcher, device) else {
        continue
      }
      count.order()
      do throws(CommandProblem) {
        try perform(action, on: device, at: now)
        outcome.done += 1
      } catch {
        outcome.refused += 1
        if outcome.firstRefusal == nil { outcome.firstRefusal = (device, error.sentence) }
      }
    }
    return outcome
  }

  mutating func perform(_ action: DeviceAction, on device: DeviceID, at now: Instant) throws(CommandProblem) {
    try action.kind.perform(on: device, in: &deviceState, at: now)
  }
}
