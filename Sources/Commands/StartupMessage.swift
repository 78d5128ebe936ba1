import APNs
import Devices
import Pushpit
import Signing
import Simulation
import Timeline

/// The startup message for people: how to reach the server, with a command that works as is.
package struct StartupMessage {
  private let ready: ReadyLine
  private let example: Example?

  /// The push of the curl command.
  private struct Example: Sendable {
    let device: String
    /// Whether the person will see the push.
    let isShown: Bool
    let token: String
    let topic: String
    let provider: String
  }

  package init(_ server: ServerLoop) {
    ready = server.ready
    let keys = server.keys
    example = server.gateway.work { simulator, wall in (Self.example(simulator, keys, at: wall.seconds), []) }
  }

  package var text: String {
    var lines = [
      "Pushpit \(Version.text): \(ready.devices) virtual iPhones, seed \(ready.seed)",
      "  sandbox     https://\(ready.sandbox)",
      "  production  https://\(ready.production)",
      "  channels    https://\(ready.channels)   (production: https://\(ready.productionChannels))",
      "  admin       \(ready.admin)   (try /v1/devices, /v1/pushes)",
      "  trust       \(ready.authority)",
    ]
    if ready.chain != "sound" {
      lines.append(
        "  chain       \(ready.chain): clients that check certificates must "
          + (ready.chain == "secondRoot" ? "trust \(ready.secondAuthority) as well" : "refuse to connect"))
    }
    for key in ready.keys {
      lines.append(
        "  key         \(key.keyID) of team \(key.teamID), \(key.environment)" + (key.p8.map { ": \($0)" } ?? ""))
    }
    guard let example else {
      lines.append(
        "No example: it needs a sandbox app, and a key for it with a private half here (`pushpit keys make`)."
      )
      lines.append(page)
      return lines.joined(separator: "\n")
    }
    lines += [
      "Push to \(example.device) (the provider token is valid for an hour;"
        + " `pushpit send --to \(example.device)` makes its own):",
      "", curl(example), "",
      example.isShown
        ? "and see it: curl \(ready.admin)/v1/devices/\(example.device)/screen"
        : "Nobody will see it: the first phones are offline or do not allow notifications. Use --ideal.",
      page,
    ]
    return lines.joined(separator: "\n")
  }

  private var page: String { "Watch pushes and phones in a browser: \(AdminAPI.local(ready.admin))/" }

  /// The authority of the server's certificate, or the usual one if clients must refuse the server.
  private var trusted: String { ready.chain == "secondRoot" ? ready.secondAuthority : ready.authority }

  private func curl(_ example: Example) -> String {
    "curl --http2 --cacert '\(trusted)' -H 'authorization: bearer \(example.provider)'"
      + " -H 'apns-topic: \(example.topic)' -H 'apns-push-type: alert'"
      + " -d '{\"aps\":{\"alert\":\"Hello\"}}' -w '%{http_code}\\n'"
      + " https://\(Self.local(ready.sandbox))/3/device/\(example.token)"
  }

  /// The local address of a listener on all addresses.
  static func local(_ address: String) -> String {
    for all in ["0.0.0.0:", "[::]:"] where address.hasPrefix(all) { return "localhost:" + address.dropFirst(all.count) }
    return address
  }

  /// A push that will be answered 200: a sandbox token of an app that a key can sign for, on a phone that shows it if
  /// one of the first hundred does.
  private static func example(_ simulator: Simulator, _ keys: [KeyRegistry.Entry], at now: Int64) -> Example? {
    var filter = Filter()
    filter.tokenKind = .device
    filter.environment = .sandbox
    filter.isLive = true
    let world = simulator.world
    let listed = world.tokens(filter, from: .init(device: 0, skip: 0), limit: 100, at: world.began).tokens
    let shown = listed.filter { shows($0, world) }
    for token in shown + listed {
      guard let provider = provider(for: token.app, world, keys, at: now) else { continue }
      return Example(
        device: token.device.text, isShown: shows(token, world), token: token.token, topic: token.topic,
        provider: provider)
    }
    return nil
  }

  /// A provider token that an app accepts, if this program has the key for it.
  private static func provider(
    for app: String, _ world: World, _ keys: [KeyRegistry.Entry], at now: Int64
  ) -> String? {
    let ring = world.validator.keyRing
    for (number, entry) in ring.keys.enumerated()
    where entry.environments.contains(.sandbox) && ring.allows(key: number, bundleID: app) {
      guard let path = keys.first(where: { $0.keyID == entry.keyID })?.p8,
        let text = try? KeyFile.read(path), let key = try? SigningKey(p8: text, from: path),
        let jwt = try? ProviderJWT.make(key: key, keyID: entry.keyID, teamID: entry.teamID, issuedAt: now)
      else { continue }
      return jwt
    }
    return nil
  }

  private static func shows(_ token: TokenView, _ world: World) -> Bool {
    guard let device = world.device(token.device, at: world.began), device.isOnline,
      let app = device.apps.first(where: { $0.profile.bundleID == token.app })
    else { return false }
    return app.isInstalled && app.permission == .authorized
  }
}
