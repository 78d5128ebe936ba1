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
  /// Devices looked at for one page at the most, so that no question holds the world for long.
  package static let mostScanned: UInt32 = 100_000
  /// Devices whose tokens are gone through for one page at the most; that is far more work than to pass one over.
  package static let mostExamined = 5_000

  package func screen(of device: DeviceID, at now: Instant) -> Screen { partition.screen(of: device, at: now) }

  /// Calls of apps that wait for their backend: whoever moves a manual clock lets them end first. One that is delayed
  /// waits for that clock itself.
  package var openCalls: Int { partition.reports.onWire }

  /// Where a list of tokens goes on: the device, and how many of its tokens have been given.
  package struct TokenCursor: Hashable, Sendable {
    package let device: UInt32
    package let skip: Int

    package init(device: UInt32, skip: Int) {
      self.device = device
      self.skip = skip
    }
  }

  package func device(_ id: DeviceID, at now: Instant) -> DeviceView? { partition.device(id, at: now) }

  /// The devices of a selection, and where to go on when there are more than one order takes.
  package func devices(of selection: Selection) -> (devices: [DeviceID], next: UInt32?) {
    partition.devices(of: selection)
  }

  /// Devices from number `start` on, and where to go on.
  ///
  /// - Parameter most: devices looked at, at the most.
  package func devices(
    _ filter: Filter, from start: UInt32, limit: Int, most: UInt32 = mostScanned, at now: Instant
  ) -> (devices: [DeviceView], next: UInt32?) {
    partition.devices(filter, from: start, limit: limit, most: most, at: now)
  }

  /// - Parameters:
  ///   - most: devices looked at, at the most.
  ///   - mostExamined: devices whose tokens are gone through, at the most.
  package func tokens(
    _ filter: Filter, from start: TokenCursor, limit: Int, most: UInt32 = mostScanned,
    examining mostExamined: Int = mostExamined, at now: Instant
  ) -> (tokens: [TokenView], next: TokenCursor?) {
    partition.tokens(filter, from: start, limit: limit, most: most, examining: mostExamined, at: now)
  }

  /// The token that a registration has just made current.
  package func token(_ device: DeviceID, app: Int, slot: TokenSlot, at now: Instant) -> TokenView? {
    partition.token(device, app: app, slot: slot, at: now)
  }
}

extension World {
  /// Why APNs would refuse a provider token on a new connection; nil where it passes. It leaves no trace.
  package func rejection(ofProvider token: String, in environment: Environment, at now: Now) -> Rejection? {
    validator.rejection(ofProvider: token, in: environment, at: now.wall)
  }
}
