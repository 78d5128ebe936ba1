import APNs
import Devices
import Signing
import Simulation

/// The first thing a person reads: how to reach what has just started, with a command that works as it stands.
package struct StartupMessage {
  let ready: ReadyLine
  let example: Example?

  /// What the curl line pushes to.
  struct Example {
    let device: String
    /// Whether its person will see the push.
    let isShown: Bool
    let token: String
    let topic: String
    let provider: String
  }

  var text: String {
    var lines = [
      "Pushpit \(Version.text): \(ready.devices) virtual iPhones, seed \(ready.seed)",
      "  sandbox     https://\(ready.sandbox)",
      "  production  https://\(ready.production)",
      "  channels    https://\(ready.channels)   (production: https://\(ready.productionChannels))",
      "  admin       \(ready.admin)   (try /v1/devices, /v1/pushes)",
      "  trust       \(ready.authority)",
    ]
    for key in ready.keys {
      lines.append(
        "  key         \(key.keyID) of team \(key.teamID), \(key.environment)" + (key.p8.map { ": \($0)" } ?? ""))
    }
    guard let example else {
      lines.append(
        "No example: it takes an app built for the sandbox, and a key for it that can sign here (`pushpit keys make`)."
      )
      return lines.joined(separator: "\n")
    }
    lines += [
      "Push to \(example.device) (the provider token is good for an hour;"
        + " `pushpit send --to \(example.device)` makes its own):",
      "", curl(example), "",
      example.isShown
        ? "and see it: curl \(ready.admin)/v1/devices/\(example.device)/screen"
        : "Nobody will see it: the first phones are offline or may not notify. --ideal makes phones that do.",
    ]
    return lines.joined(separator: "\n")
  }

  private func curl(_ example: Example) -> String {
    "curl --http2 --cacert '\(ready.authority)' -H 'authorization: bearer \(example.provider)'"
      + " -H 'apns-topic: \(example.topic)' -H 'apns-push-type: alert'"
      + " -d '{\"aps\":{\"alert\":\"Hello\"}}' -w '%{http_code}\\n'"
      + " https://\(Self.local(ready.sandbox))/3/device/\(example.token)"
  }

  /// Where a listener on all addresses is reached from here.
  package static func local(_ address: String) -> String {
    for all in ["0.0.0.0:", "[::]:"] where address.hasPrefix(all) { return "localhost:" + address.dropFirst(all.count) }
    return address
  }

  /// A push that will be answered 200: a sandbox token of an app that a key may sign for, on a phone that shows it
  /// where one of the first hundred does.
  static func example(_ simulator: Simulator, _ keys: [KeyRegistry.Entry], at now: Int64) -> Example? {
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

  /// A provider token that an app takes, where this program has the key for it.
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
