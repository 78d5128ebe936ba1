import APNs
import Devices
import Pushpit
import Scenarios
import Signing
import Simulation
import Timeline

/// The startup message for people: how to reach the server, with a command that works as is.
package struct StartupMessage {
  private let ready: ReadyLine
  private let example: Example?
  /// The teams of keys that no app of the fleet belongs to.
  private let teamsWithoutApp: Set<String>

  /// A sandbox token to push to.
  private struct Candidate: Sendable {
    let token: TokenView
    /// True if the person will see the push.
    let isShown: Bool
  }

  /// The push of the curl command.
  private struct Example: Sendable {
    let device: String
    /// True if the person will see the push.
    let isShown: Bool
    let token: String
    let topic: String
    let provider: String
  }

  package init(_ server: ServerLoop) {
    ready = server.ready
    // Keys are read and used after the lock is released: the first pushes may already be there.
    let (tokens, ring, now) = server.gateway.work { simulator, wall in
      ((Self.tokens(simulator), simulator.world.validator.keyRing, wall.seconds), [])
    }
    example = Self.example(tokens, ring: ring, keys: server.keys, at: now)
    teamsWithoutApp = Set(ready.keys.map(\.teamID)).filter { !ring.hasApps(of: $0) }
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
      if teamsWithoutApp.contains(key.teamID) {
        lines.append(
          "              No app is of team \(key.teamID), so this key's pushes get TopicDisallowed; give it one with"
            + " `--app BUNDLE:sandbox::\(key.teamID)`, or with `teamId` of an app in the settings file.")
      }
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

  /// The sandbox tokens of the first phones: for each app the first that is shown to a person, then the first of all.
  private static func tokens(_ simulator: Simulator) -> [Candidate] {
    var filter = Filter()
    filter.tokenKind = .device
    filter.environment = .sandbox
    filter.isLive = true
    let (start, began) = (World.TokenCursor(device: 0, skip: 0), simulator.world.began)
    var (shown, first): ([Candidate], [Candidate]) = ([], [])
    for token in simulator.world.tokens(filter, from: start, limit: 100, at: began).tokens {
      if !first.contains(where: { $0.token.app == token.app }) {
        first.append(Candidate(token: token, isShown: false))
      }
      if !shown.contains(where: { $0.token.app == token.app }), shows(token, simulator.world) {
        shown.append(Candidate(token: token, isShown: true))
      }
    }
    return shown + first
  }

  /// A push that will be answered 200: to the first of these tokens whose app a key here can sign for.
  private static func example(
    _ tokens: [Candidate], ring: KeyRing, keys: [KeyRegistry.Entry], at now: Int64
  ) -> Example? {
    for candidate in tokens {
      let token = candidate.token
      guard let provider = provider(for: token.app, ring, keys, at: now) else { continue }
      return Example(
        device: token.device.text, isShown: candidate.isShown, token: token.token, topic: token.topic,
        provider: provider)
    }
    return nil
  }

  /// A provider token that an app accepts, if this program has the key for it.
  private static func provider(
    for app: String, _ ring: KeyRing, _ keys: [KeyRegistry.Entry], at now: Int64
  ) -> String? {
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
