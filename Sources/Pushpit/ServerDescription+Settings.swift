import Admin
import Configuration
import Signing
import Transport
import WireFormats

extension ServerDescription {
  init(_ ready: ReadyLine, _ keys: [KeyRegistry.Entry], _ settings: Settings, authority: String) {
    self.init()
    self.ready = ready.value
    self.authority = authority
    self.keys = keys.map(Self.key)
    processorTime = { ProcessorTimes.ofThisProcess }
    loops = settings.wire.loops ?? ProcessorTimes.count
    sharesKeys = settings.sharesKeys
  }

  /// The keys have changed.
  mutating func show(_ entries: [KeyRegistry.Entry]) {
    keys = entries.map(Self.key)
    let shown = ReadyLine.value(entries.map(ReadyLine.Key.init))
    ready = .object((ready.members ?? []).map { $0.key == "keys" ? .init("keys", shown) : $0 })
  }

  private static func key(_ entry: KeyRegistry.Entry) -> Key {
    var privateKey: (@Sendable () throws -> String)?
    if entry.isMade, let path = entry.p8 {
      // Written anew, so that nothing else is ever given away, whatever somebody has put in its place.
      privateKey = { try SigningKey(p8: try KeyFile.read(path, followsLinks: false), from: path).p8 }
    }
    return Key(
      keyID: entry.keyID, teamID: entry.teamID, environment: entry.environment, topics: entry.topics,
      privateKey: privateKey)
  }
}
