import Admin
import Simulation
import Synchronization
import Transport

/// Feeds one viewer of the event stream.
final class EventFeed: PlainFeed {
  private let viewer: Mutex<EventViewer>
  private let hasBegun = Mutex(false)
  private let gateway: Gateway
  /// Released with the feed.
  private let seat: Seat

  init(_ viewer: EventViewer, of gateway: Gateway, _ seat: Seat) {
    self.viewer = Mutex(viewer)
    self.gateway = gateway
    self.seat = seat
  }

  func next() -> FeedPart {
    let opening = hasBegun.withLock { hasBegun in
      defer { hasBegun = true }
      return hasBegun ? [] : EventStream.opening
    }
    return .now(opening + viewer.withLock { gateway.next(for: &$0) })
  }
}
