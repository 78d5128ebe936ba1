import Timeline
import WireFormats

/// The `aps` of a Live Activity push, read as far as the phone reads it before it decodes anything.
struct ActivityPayload {
  enum Event {
    case start
    case update
    case end
  }

  let aps: JSONNode
  let event: Event?
  let contentState: JSONNode?
  /// Seconds since 1970 as they are written: a value in milliseconds is taken for what it says, and blocks every later
  /// one in seconds. Assumed from reports of exactly that (firebase-ios-sdk issue 15648).
  let timestamp: Double?

  /// Nil when there is no `aps` object.
  init?(_ root: JSONNode) {
    guard let aps = root["aps"], aps.isObject else { return nil }
    self.aps = aps
    let parts = aps["event", "content-state", "timestamp"]
    contentState = parts.second
    timestamp = parts.third?.double
    guard let word = parts.first else {
      event = nil
      return
    }
    if word.isString("update") {
      event = .update
    } else if word.isString("end") {
      event = .end
    } else {
      event = word.isString("start") ? .start : nil
    }
  }

  var staleDate: Instant? { instant("stale-date") }
  var dismissalDate: Instant? { instant("dismissal-date") }
  /// Documented: any number; the highest is shown first.
  var relevance: Double { aps["relevance-score"]?.double ?? 0 }

  private func instant(_ key: StaticString) -> Instant? {
    guard let seconds = aps[key]?.double, abs(seconds) < 9e9 else { return nil }
    return Instant(nanoseconds: Int64(seconds * 1e9))
  }
}
