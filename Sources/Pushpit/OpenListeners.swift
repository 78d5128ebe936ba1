import APNs
import Configuration
import Simulation
import Transport

/// The listeners of a server, all of them open.
struct OpenListeners {
  private let sandbox: PushListener
  private let production: PushListener
  private let channels: PushListener
  private let productionChannels: PushListener
  /// Address of the listener for relays; nil without one.
  private let relay: String?

  init(_ settings: Settings, on pushes: PushServer, _ tls: TLSContext) throws(StartFailure) {
    func listen(_ tag: Int, _ port: UInt16) throws(StartFailure) -> PushListener {
      try Listeners.opening(tag, others: pushes) { () throws(ListenFailure) in
        try pushes.listen(tag: tag, host: settings.host(of: tag), port: Int(port), tls: tls)
      }
    }
    sandbox = try listen(Listeners.sandbox, settings.sandboxPort)
    production = try listen(Listeners.production, settings.productionPort)
    channels = try listen(Listeners.channels, settings.channelsPort)
    productionChannels = try listen(Listeners.productionChannels, settings.productionChannelsPort)
    relay = try Listeners.openRelay(settings, on: pushes)
  }

  func ready(
    adminPort: Int, folder: StateFolder, keys: [KeyRegistry.Entry], settings: Settings
  ) -> ReadyLine {
    ReadyLine(
      sandbox: Self.endpoint(sandbox), production: Self.endpoint(production), channels: Self.endpoint(channels),
      productionChannels: Self.endpoint(productionChannels), relay: relay,
      admin: "http://\(Self.endpoint(settings.host, adminPort))",
      authority: folder.authorityPath, secondAuthority: folder.secondAuthorityPath,
      chain: settings.wire.chain?.rawValue ?? "sound",
      keys: keys.map(ReadyLine.Key.init), devices: settings.devices, seed: settings.seed,
      cell: settings.cell?.text)
  }

  private static func endpoint(_ listener: PushListener) -> String { endpoint(listener.host, listener.port) }

  private static func endpoint(_ host: String, _ port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
