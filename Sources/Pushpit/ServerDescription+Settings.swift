import APNs
import Admin
import Configuration
import Signing
import Synchronization
import Timeline
import Transport
import WireFormats

extension ServerDescription {
  init(_ ready: ReadyLine, keys: [KeyRegistry.Entry], settings: Settings, authority: String) {
    self.init()
    self.ready = ready.value
    self.authority = authority
    show(keys, settings)
    processorTime = { ProcessorTimes.ofThisProcess }
    loops = settings.wire.loops ?? ProcessorTimes.count
    sharesKeys = settings.sharesKeys
    self.settings = { SettingsListing(prefix: $0).json(inForce: settings) }
  }

  /// The keys have changed.
  mutating func show(_ entries: [KeyRegistry.Entry], _ settings: Settings) {
    let life = min(Self.usualTokenLife, settings.rulebook.providerTokenLife * 5 / 6)
    keys = entries.map { Self.key($0, life) }
    let shown = ReadyLine.value(entries.map(ReadyLine.Key.init))
    ready = .object((ready.members ?? []).map { $0.key == "keys" ? .init("keys", shown) : $0 })
  }

  private static func key(_ entry: KeyRegistry.Entry, _ tokenLife: Duration) -> Key {
    var privateKey: (@Sendable () throws -> String)?
    if entry.isMade, let path = entry.p8 {
      // Written anew, so that nothing else is ever given away, whatever somebody has put in its place.
      privateKey = { try SigningKey(p8: try KeyFile.read(path, followsLinks: false), from: path).p8 }
    }
    return Key(
      keyID: entry.keyID, teamID: entry.teamID, environment: entry.environment, topics: entry.topics,
      privateKey: privateKey, sign: entry.isMade ? entry.p8.map { sign(with: $0, entry, tokenLife) } : nil)
  }

  /// Documented: a provider token is valid for an hour. A token is used for as long as backends usually do.
  private static let usualTokenLife: Duration = .seconds(50 * 60)

  /// Signs with a private key, which is read when it is needed.
  private static func sign(with path: String, _ entry: KeyRegistry.Entry, _ tokenLife: Duration) -> Key.Sign {
    let last = LastToken()
    return { now in
      try last.token.withLock { token in
        if let token, (token.issued...token.issued + tokenLife.components.seconds).contains(now.seconds) {
          return token.text
        }
        let signer = try ProviderSigner(p8: path, keyID: entry.keyID, teamID: entry.teamID)
        let made = (issued: now.seconds, text: try signer.token(at: now))
        token = made
        return made.text
      }
    }
  }

  /// The provider token that a key has signed last.
  private final class LastToken: Sendable {
    let token = Mutex<(issued: Int64, text: String)?>(nil)
  }
}
