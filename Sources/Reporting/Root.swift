import APNs

/// Where a value in a template comes from: the first word of `{{token.hex}}`.
package enum Root: String, CaseIterable, Hashable, Sendable {
  case backend, device, install, user, event, time
  case token, type, service
  case activity, attributes, content
  case value, error, notification
  case arg, answer, status

  /// Those that every event has.
  static let general: [Root] = [.backend, .device, .install, .user, .event, .time]

  /// What may follow it; nil for anything, empty for nothing.
  var members: [String]? {
    switch self {
    case .backend, .event, .type, .service, .value, .error, .status: []
    case .device: ["id", "number", "os"]
    case .install: ["bundleId", "idfv", "launches", "startTokens", "token"]
    case .user: ["id", "session"]
    case .time: ["iso", "milliseconds", "unix"]
    case .token: ["base64", "hex"]
    case .activity: ["id", "startedBy", "state", "type"]
    case .notification: ["body", "number", "payload", "title"]
    case .attributes, .content, .arg, .answer: nil
    }
  }
}
