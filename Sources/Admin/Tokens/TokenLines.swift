import Devices
import Scenarios
import Simulation
import Timeline
import WireFormats

/// All tokens that match a filter, as JSON Lines, for an answer that is sent portion by portion.
///
/// Time may pass between two portions, so each device is shown as it is when it is reached.
package struct TokenLines: Sendable {
  static let contentType = "application/x-ndjson"

  private let search: TokenSearch
  /// Nil after the last portion.
  private var next: World.TokenCursor?

  /// Devices that are scanned in one hold of the lock, if none of them has a token that matches.
  private static let scanned = BatchSize.devices
  /// Tokens of a portion: some 30 KB.
  private static let usual = 100

  init(_ search: TokenSearch) {
    self.search = search
    next = search.start
  }

  /// The tokens of the next portion; nil after the last one. The simulator must have been stepped to its clock.
  package mutating func portion(_ simulator: borrowing Simulator, wall: Instant) -> [TokenView]? {
    guard let start = next else { return nil }
    let page = search.page(
      simulator.world, from: start, limit: Self.usual, most: Self.scanned, at: simulator.now(wall: wall).world)
    next = page.next
    return page.tokens
  }

  /// Call this without the lock.
  package static func write(_ tokens: [TokenView]) -> [UInt8] {
    var bytes: [UInt8] = []
    for token in tokens {
      bytes += token.json.text.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }
}
