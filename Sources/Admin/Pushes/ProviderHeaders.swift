import APNs
import Grammar

/// The headers of a push that Pushpit itself sends, besides its provider token.
package struct ProviderHeaders: Sendable {
  package var pushType: String
  /// The complete topic; nil for the bundle id with the suffix of the push type.
  package var topic: String?
  package var priority: String?
  package var expiration: String?
  package var collapseID: String?
  package var id: String?

  package init(pushType: String) { self.pushType = pushType }

  /// - Parameter app: the bundle id of the app.
  package func list(for app: String) -> [(name: String, value: String)] {
    var headers = [
      (name: "apns-push-type", value: pushType), (name: "apns-topic", value: topic ?? app + Self.suffix(of: pushType)),
    ]
    for (name, value) in [
      ("apns-priority", priority ?? (pushType == PushType.background.rawValue ? "5" : nil)),
      ("apns-expiration", expiration), ("apns-collapse-id", collapseID), ("apns-id", id),
    ] {
      if let value { headers.append((name, value)) }
    }
    return headers
  }

  /// The topic suffix of a push type; none for an unknown type.
  package static func suffix(of pushType: String) -> String { PushType(rawValue: pushType)?.suffix.text ?? "" }
}
