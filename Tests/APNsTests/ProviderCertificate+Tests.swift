import APNs
import Timeline

/// A valid certificate; a test changes one value.
extension ProviderCertificate {
  static let good = ProviderCertificate(
    subject: "CN=Apple Push Services: com.example.app,UID=com.example.app",
    topics: ["com.example.app", "com.example.app.voip", "com.example.app.complication"],
    environments: [.sandbox, .production],
    validity: Gate.now.wall.advanced(by: .seconds(-3600))...Gate.now.wall.advanced(by: .seconds(3600)), flaw: nil)

  func with(
    topics: [String]? = nil, environments: Set<Environment>? = nil, validity: ClosedRange<Instant>? = nil,
    flaw: Flaw? = nil
  ) -> ProviderCertificate {
    ProviderCertificate(
      subject: subject, topics: topics ?? self.topics, environments: environments ?? self.environments,
      validity: validity ?? notBefore...notAfter, flaw: flaw ?? self.flaw)
  }
}
