import Timeline
import WireFormats

/// The `aps` of a Live Activity push, read as far as the phone reads it before it decodes anything.
struct ActivityPayload {
  enum Event {
    case start
    case update
    case end
  }

  let root: JSONNode
  let aps: JSONNode
  let event: Event?
  let contentState: JSONNode?
  /// Seconds since 1970 as they are written: a value in milliseconds is taken for what it says, and blocks every later
  /// one in seconds. Assumed from reports of exactly that (firebase-ios-sdk issue 15648).
  let timestamp: Double?
  let alert: JSONNode?
  let staleDate: Instant?
  /// Documented: any number; the highest is shown first.
  let relevance: Double

  /// Nil when there is no `aps` object.
  init?(_ root: JSONNode) {
    guard let aps = root["aps"], aps.isObject else { return nil }
    self.root = root
    self.aps = aps
    let parts = aps["event", "content-state", "timestamp", "alert", "stale-date", "relevance-score"]
    contentState = parts.1
    timestamp = parts.2?.double
    alert = parts.3
    staleDate = Self.instant(parts.4)
    relevance = parts.5?.double ?? 0
    event = parts.0.flatMap(Self.event)
  }

  /// Attributes belong to a start alone.
  var hasAttributes: Bool {
    let (first, second) = (aps["attributes"], aps["attributes-type"])
    return first != nil || second != nil
  }

  var dismissalDate: Instant? { Self.instant(aps["dismissal-date"]) }

  private static func event(_ word: JSONNode) -> Event? {
    if word.isString("update") { return .update }
    if word.isString("end") { return .end }
    return word.isString("start") ? .start : nil
  }

  private static func instant(_ node: JSONNode?) -> Instant? {
    guard let seconds = node?.double, abs(seconds) < 9e9 else { return nil }
    return Instant(nanoseconds: Int64(seconds * 1e9))
  }
}
