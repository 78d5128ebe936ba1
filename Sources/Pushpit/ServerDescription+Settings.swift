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
    if !settings.allowsKeyDownload, !OutboundAllowList.isLoopback(host: settings.host) {
      withheld =
        "The admin API listens on \(settings.host), where others can reach it; listen.keyDownload"
        + " (--allow-key-download) allows the download there."
    }
  }

  /// The keys have changed.
  mutating func show(_ entries: [KeyRegistry.Entry]) {
    keys = entries.map(Self.key)
    let shown = ReadyLine.value(entries.map(ReadyLine.Key.init))
    ready = .object((ready.members ?? []).map { $0.key == "keys" ? .init("keys", shown) : $0 })
  }

  private static func key(_ entry: KeyRegistry.Entry) -> Key {
    var privateKey: (@Sendable () throws -> String)?
    if entry.isMade, let path = entry.p8 { privateKey = { try KeyFile.read(path) } }
    return Key(
      keyID: entry.keyID, teamID: entry.teamID, environment: entry.environment, topics: entry.topics,
      privateKey: privateKey)
  }
}
