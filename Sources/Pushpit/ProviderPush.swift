import Admin
import WireFormats

/// A push that `pushpit send` sends to the gateway, as a provider would.
package struct ProviderPush: Sendable {
  package var app: String?
  /// The complete topic; nil for the bundle id with the suffix of the push type.
  package var topic: String?
  package var pushType = "alert"
  package var priority: String?
  package var expiration: String?
  package var collapseID: String?
  package var id: String?
  package var payload: [UInt8]

  package init(payload: [UInt8]) { self.payload = payload }

  /// - Parameters:
  ///   - app: the bundle id of the app.
  ///   - provider: the provider token.
  package func headers(for app: String, provider: String) -> [(name: String, value: String)] {
    var headers = ProviderHeaders(pushType: pushType)
    headers.topic = topic
    headers.priority = priority
    headers.expiration = expiration
    headers.collapseID = collapseID
    headers.id = id
    return [(name: "authorization", value: "bearer \(provider)")] + headers.list(for: app)
  }

  /// The app that is pushed to, and its token.
  ///
  /// - Parameter view: the device, as the admin API has it.
  package func address(
    on device: String, _ view: JSONValue
  ) throws(StartFailure) -> (token: String, app: String) {
    let apps = view["apps"]?.elements ?? []
    guard let found = apps.first(where: { app == nil || $0["bundleId"]?.string == app }),
      let bundleID = found["bundleId"]?.string
    else { throw StartFailure("\(device) has no app \(app ?? "at all").") }
    guard let token = token(in: found) else {
      throw StartFailure("\(bundleID) on \(device) has no token for a push of type \(pushType).")
    }
    return (token, bundleID)
  }

  /// The topic suffix of a push type; none for an unknown type.
  package static func suffix(of pushType: String) -> String { ProviderHeaders.suffix(of: pushType) }

  /// The app of a push to a token.
  package var appOfToken: String { app ?? "com.example.app" }

  /// A Live Activity push goes to a running activity if there is one; otherwise it starts one.
  private func token(in app: JSONValue) -> String? {
    switch pushType {
    case "liveactivity":
      let running = app["activities"]?.elements?.last { ["active", "stale"].contains($0["state"]?.string) }
      return running?["updateToken"]?.string ?? app["pushToStart"]?.elements?.first?["token"]?.string
    case "alert", "background", "mdm": return app["deviceToken"]?.string
    default:
      let kinds = ["pushtotalk": "pushToTalk", "fileprovider": "fileProvider"]
      let kind = kinds[pushType] ?? pushType
      return app["services"]?.elements?.first { $0["kind"]?.string == kind }?["token"]?.string
    }
  }
}
