import APNs
import Devices
import Timeline

extension Selection {
  /// Maximum number of devices that one request of the admin API changes or names.
  package static let mostChanged = 10_000
}

/// Queries; none changes anything.
extension World {
  /// Maximum number of devices looked at for one page, so that no query holds the lock for long.
  package static let mostScanned: UInt32 = 100_000
  /// Maximum number of devices whose tokens are listed for one page, which is far more work than skipping a device.
  package static let mostExamined = 5_000

  package func screen(of device: DeviceID, at now: Instant) -> Screen {
    fleet.screen(of: device, bells: deviceState.bells(on: device), at: now)
  }

  /// Counts of the actions of the fleet's phones since the world began.
  package var phoneCounts: PhoneCounts { deviceState.turn.effects.counts }

  /// Number of app calls waiting for an answer from their backend; a manual clock lets them end before it moves.
  /// Delayed calls wait for that clock themselves.
  package var openCalls: Int { deviceState.reports.calls.onWire }

  /// Position at which a list of tokens continues: the device, and the number of its tokens that were returned.
  package struct TokenCursor: Hashable, Sendable {
    package let device: UInt32
    package let skip: Int

    package init(device: UInt32, skip: Int) {
      self.device = device
      self.skip = skip
    }
  }

  package func device(_ id: DeviceID, at now: Instant) -> DeviceView? { deviceState.device(id, at: now) }

  /// The devices of a selection, and where to continue if there are more than one order processes.
  ///
  /// - Parameters:
  ///   - most: maximum number of devices.
  ///   - scanned: maximum number of devices to look at.
  package func devices(
    of selection: Selection, most: Int = Selection.mostChanged, scanning scanned: UInt32 = mostScanned
  ) -> (devices: [DeviceID], next: UInt32?) {
    fleet.devices(of: selection, most: most, scanning: min(scanned, Self.mostScanned))
  }

  /// Devices from number `start` on, and where to continue.
  ///
  /// - Parameter most: maximum number of devices to look at.
  package func devices(
    _ filter: Filter, from start: UInt32, limit: Int, most: UInt32 = mostScanned, at now: Instant
  ) -> (devices: [DeviceView], next: UInt32?) {
    deviceState.devices(filter, from: start, limit: limit, most: most, at: now)
  }

  /// - Parameters:
  ///   - most: maximum number of devices to look at.
  ///   - mostExamined: maximum number of devices whose tokens are listed.
  package func tokens(
    _ filter: Filter, from start: TokenCursor, limit: Int, most: UInt32 = mostScanned,
    examining mostExamined: Int = mostExamined, at now: Instant
  ) -> (tokens: [TokenView], next: TokenCursor?) {
    fleet.tokens(filter, from: start, limit: limit, most: most, examining: mostExamined, at: now)
  }

  /// The token that a registration has just made current.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot, at now: Instant) -> TokenView? {
    fleet.token(device, app: app, slot: slot, at: now)
  }
}
