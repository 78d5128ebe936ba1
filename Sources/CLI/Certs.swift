import ArgumentParser
import ClientCommands

/// `pushpit certs`
struct Certs: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "certs",
    abstract: "Make certificates: the server's, and those of providers.",
    discussion: """
      Makes the certificate authority that clients must trust, and the server's certificate. The authority is \
      limited by name constraints to localhost, push.apple.com and the names you add; it cannot sign for other host \
      names, e-mail addresses or URIs. IP addresses cannot be limited, because clients on BoringSSL reject such an \
      authority; whoever had its key could sign for any of them. Therefore the key is not kept: it is deleted once \
      the server's certificate is signed.

      So a new name, --renew and the last month of the 824 days cause a new authority, which clients must be \
      configured to trust; it keeps the names of the old one. The command refuses this while a server uses the folder.

      The subcommands are about the certificates with which providers authenticate instead of provider tokens.
      """,
    subcommands: [Provider.self, List.self, Add.self, Revoke.self])

  @OptionGroup var state: Keys.StateOptions
  @Option(
    name: .customLong("name"), help: ArgumentHelp("Host name or address to add; may be repeated.", valueName: "host"))
  var names: [String] = []
  @Flag(help: "Make new certificates.")
  var renew = false

  func run() throws {
    let report = try CertificateReport(try state.folder(), adding: names, renew: renew)
    Terminal.say(report.text)
    Terminal.announce(report.authorityPath)
  }
}
