import Pushpit
import Timeline
import WireFormats

/// Orders to the world's clock: `pushpit clock`.
package enum ClockOrder {
  /// A long advance of a large fleet takes minutes.
  private static let patience: Duration = .seconds(3600)

  package static let modes = WorldClock.Mode.ordered.map(\.rawValue)
  /// The longest advance.
  package static let longest = DurationText.write(WorldClock.longestStep)

  package static func advance(by length: String) -> AdminAPI.Order { order("advance", length) }

  package static func mode(_ mode: String) -> AdminAPI.Order { order("mode", mode) }

  /// Returns the time until the next thing is due, as the text of a duration.
  package static func untilNext(_ api: AdminAPI) throws(CommandFailure) -> String {
    guard let wait = ClockLines(try api.perform(AdminAPI.Order("v1", "clock")).value).untilNext else {
      throw CommandFailure("Nothing is due; name a duration such as 8h.")
    }
    // Times are returned in whole milliseconds, so that the next thing may be due a little later.
    return DurationText.write(wait + .milliseconds(1))
  }

  private static func order(_ key: String, _ value: String) -> AdminAPI.Order {
    var order = AdminAPI.Order(post: ["v1", "clock"], .object([.init(key, .string(value))]))
    order.timeout = patience
    return order
  }
}
