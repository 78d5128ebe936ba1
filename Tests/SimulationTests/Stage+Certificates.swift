import APNs
import Simulation
import Testing
import Timeline

extension ProviderCertificate {
  /// A valid certificate of the stage's first app, for both environments.
  static let good = ProviderCertificate(
    subject: "CN=Apple Push Services: \(Stage.app)", topics: [Stage.app, Stage.app + ".voip"],
    environments: [.sandbox, .production],
    validity: Stage.began.advanced(by: .seconds(-3600))...Stage.began.advanced(by: .seconds(3600)), flaw: nil)

  func with(
    topics: [String]? = nil, environments: Set<Environment>? = nil, flaw: Flaw? = nil, fingerprint: String = ""
  ) -> ProviderCertificate {
    ProviderCertificate(
      subject: subject, topics: topics ?? self.topics, environments: environments ?? self.environments,
      validity: notBefore...notAfter, flaw: flaw ?? self.flaw, fingerprint: fingerprint)
  }
}

extension Stage {
  /// Another connection, of a client that presents a certificate.
  mutating func connect(
    _ certificate: ProviderCertificate, to environment: Environment = .sandbox, managesChannels: Bool = false
  ) -> ProviderConnectionID {
    let connection = ProviderConnectionID(900 + UInt64(world.openConnectionCount))
    world.connectionOpened(
      connection, to: environment, peer: "127.0.0.1:50900", managesChannels: managesChannels, certificate: certificate,
      at: now)
    return connection
  }

  /// The wire commands for a connection, from the events that are still kept.
  func orders(on connection: ProviderConnectionID) -> [WireCommand] {
    world.recent.compactMap { event in
      if case .wire(connection, let order) = event { order } else { nil }
    }
  }
}
