import Admin
import Synchronization
import Transport

/// Sends the tokens of the fleet to one client.
final class TokenFeed: PlainFeed {
  private let lines: Mutex<TokenLines>
  private let gateway: Gateway
  /// Released with the feed.
  private let seat: Seat

  /// Portions without a token after which the loop serves others.
  private static let mostEmpty = 16

  init(_ lines: TokenLines, of gateway: Gateway, _ seat: Seat) {
    self.lines = Mutex(lines)
    self.gateway = gateway
    self.seat = seat
  }

  func next() -> FeedPart {
    for _ in 0..<Self.mostEmpty {
      // The lock of the lines is held by the main loop alone.
      let portion = lines.withLock { lines in
        gateway.work { simulator, wall in (lines.portion(simulator, wall: wall), []) }
      }
      guard let portion else { return .last([]) }
      if !portion.isEmpty { return .more(TokenLines.write(portion)) }
    }
    return .now([])
  }
}
