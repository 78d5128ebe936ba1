/// The requests of a load run.
package enum LoadKind: String, CaseIterable, Sendable {
  case notification
  case background
  /// Updates to running activities or, with a payload whose event is `start`, starts.
  case liveActivity = "live-activity"
  /// Updates to a broadcast channel.
  case broadcast

  var pushType: String {
    switch self {
    case .notification: "alert"
    case .background: "background"
    case .liveActivity, .broadcast: "liveactivity"
    }
  }

  /// The payload if none is given. Its numbers differ, because equal payloads would be duplicates.
  var payload: String {
    switch self {
    case .notification: #"{"aps":{"alert":{"title":"Load test","body":"Push {{number}}"}}}"#
    case .background: #"{"aps":{"content-available":1},"number":{{number}}}"#
    case .liveActivity, .broadcast:
      #"{"aps":{"timestamp":{{timestamp}},"event":"update","content-state":{"number":{{number}}}}}"#
    }
  }
}
