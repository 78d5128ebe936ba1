import APNs
import Devices
import Reporting
import Simulation
import Timeline
import WireFormats

/// Answers for the engine of a hunt.
extension Witness {
  private static let mostDevices: UInt32 = 1000

  /// The story's offer to perturbations.
  package func ground(door: HuntingGround.Door, length: Duration) -> HuntingGround {
    let devices = (0..<min(fleetSize, Self.mostDevices)).map { DeviceID($0).text }
    var ground = HuntingGround(door: door, length: length, devices: devices)
    ground.phones = Int(fleetSize)
    ground.take(pushes, calls: calls)
    ground.hasBroadcasts = !broadcasts.isEmpty
    ground.canRestart = canRestart
    return ground
  }

  /// The final state, a line for each phone, card and notification, without what may honestly differ between two plays
  /// with one seed, such as times and ids.
  package var lines: [String] {
    installs.flatMap { install -> [String] in
      let name = "\(install.id.device.text), \(install.bundleID)"
      let cards = install.cards.map { card in
        "\(name): \(card.subject) is \(card.state.rawValue) with \(Leaves(card.content, near: end).words)"
      }
      return cards.sorted() + install.notifications.sorted().map { "\(name): the notification \($0)" }
    }
  }

  /// The kinds of things that the play shows; see `HuntFeatures`.
  package var features: [String] {
    HuntFeatures.read(
      pushes: pushes.map(\.record), calls: calls, findings: findings,
      others: phoneEvents.map { "phone \($0)" } + troubleKinds.map { "trouble \($0)" }
        + channelRequests
        + (ended == nil ? [] : ["the backend ended"]))
  }

  /// For each perturbation, whether it struck. Faults are named `hunt 1`, `hunt 2` and so on, by the place of their
  /// perturbation; steps and settings always count.
  package func struck(_ perturbations: [Perturbation]) -> [Bool] {
    perturbations.enumerated().map { index, perturbation in
      perturbation.place != .faults || struckFaults.contains(Perturbation.faultName(index))
    }
  }
}
