import Admin
import Simulation
import Synchronization
import Transport

/// The seats of clients that read an answer that is sent part by part.
final class ViewerSeats: Sendable {
  /// Assumed: some pages and some terminals. They need file descriptors in addition to those of the admin API's other
  /// connections.
  static let most = 16

  private let taken = Mutex(0)

  func take() -> Bool {
    taken.withLock { taken in
      guard taken < Self.most else { return false }
      taken += 1
      return true
    }
  }

  func leave() { taken.withLock { $0 -= 1 } }
}

/// Feeds one viewer of the event stream.
final class EventFeed: PlainFeed {
  private let viewer: Mutex<EventViewer>
  private let hasBegun = Mutex(false)
  private let gateway: Gateway
  private let seats: ViewerSeats

  /// Nil if all seats are taken.
  init?(_ viewer: EventViewer, of gateway: Gateway, _ seats: ViewerSeats) {
    guard seats.take() else { return nil }
    self.viewer = Mutex(viewer)
    self.gateway = gateway
    self.seats = seats
  }

  deinit { seats.leave() }

  func next() -> FeedPart {
    let opening = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return hasBegun ? [] : EventStream.opening
    }
    return .now(opening + viewer.withLock { gateway.next(for: &$0) })
  }
}
