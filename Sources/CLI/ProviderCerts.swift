import ArgumentParser
import ClientCommands
import Pushpit

extension Certs {
  /// `pushpit certs provider`
  struct Provider: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "provider", abstract: "Make a certificate that a provider uses instead of provider tokens.",
      discussion: """
        Writes the certificate with its key as PEM and as PKCS#12 (.p12), and prints both paths. It has the extensions \
        and the subject of Apple's certificates. A running server accepts it at once.

          universal    sandbox and production; topics BUNDLE, BUNDLE.voip, BUNDLE.complication
          development  sandbox; topic BUNDLE
          production   production; topic BUNDLE
          voip         sandbox and production; topic BUNDLE.voip
          mdm          production; topic com.apple.mgmt.External.…, random if --topic is omitted

        A provider with a certificate cannot send to Live Activities.
        """)
    @OptionGroup var state: Keys.StateOptions
    @Option(help: ArgumentHelp("Bundle id of the app.", valueName: "bundle"))
    var topic: String?
    @Option(help: ArgumentHelp(ProviderCertificateOrder.kinds.joined(separator: ", ") + ".", valueName: "kind"))
    var kind = "universal"
    @Option(help: "Password of the .p12 file.")
    var password = "pushpit"
    @Option(
      help: ArgumentHelp(
        "Make one that is rejected: \(ProviderCertificateOrder.flaws.joined(separator: ", ")).", valueName: "flaw"))
    var flaw: String?

    func run() throws {
      let order = try ProviderCertificateOrder(kind: kind, topic: topic, password: password, flaw: flaw)
      var registry = try ProviderCertificateRegistry(try state.folder())
      let entry = try registry.make(order)
      Terminal.say(
        "Made \(entry.commonName) for \(entry.environments.joined(separator: " and ")), topics "
          + "\(entry.topics.joined(separator: ", ")); the password of the .p12 file is \"\(password)\".")
      guard let file = entry.file else { return }
      Terminal.announce(file)
      Terminal.announce(file.dropLast(".pem".count) + ".p12")
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the provider certificates: fingerprint, topics, environments, state, file.")
    @OptionGroup var state: Keys.StateOptions

    func run() throws {
      let registry = try ProviderCertificateRegistry(try state.folder())
      if registry.entries.isEmpty {
        Terminal.say("There are no provider certificates yet; `pushpit certs provider` makes one.")
      }
      for entry in registry.entries {
        let standing = entry.isRevoked ? "revoked" : entry.isExpired ? "expired" : "valid"
        let columns = [
          String(entry.fingerprint.prefix(16)), entry.topics.joined(separator: ","),
          entry.environments.joined(separator: ","), standing, entry.file ?? "",
        ]
        Terminal.announce(columns.joined(separator: "\t"))
      }
    }
  }

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Register an existing provider certificate, such as one from Apple: PEM or .p12.",
      discussion: "Only the certificate is used; its key is not copied. A running server accepts it at once.")
    @OptionGroup var state: Keys.StateOptions
    @Option(help: "Password of the .p12 file.")
    var password = ""
    @Argument(help: "The file.")
    var file: String

    func run() throws {
      var registry = try ProviderCertificateRegistry(try state.folder())
      let entry = try registry.register(file: file, password: password)
      Terminal.say(
        "Registered \(entry.commonName) for \(entry.environments.joined(separator: " and ")), topics "
          + "\(entry.topics.joined(separator: ", "))"
          + "\(try state.toldServers { $0.accept(certificate: entry.fingerprint) }).")
      print(entry.fingerprint)
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke", abstract: "Revoke a provider certificate: it is rejected with BadCertificate.",
      discussion: "A running server rejects it at once, on open connections too, and ends them.")
    @OptionGroup var state: Keys.StateOptions
    @Argument(help: "Its file, or the first digits of its fingerprint.")
    var certificate: String

    func run() throws {
      var registry = try ProviderCertificateRegistry(try state.folder())
      let entry = try registry.revoke(certificate)
      Terminal.say(
        "Revoked \(entry.commonName)\(try state.toldServers { $0.revoke(certificate: entry.fingerprint) }).")
    }
  }
}
