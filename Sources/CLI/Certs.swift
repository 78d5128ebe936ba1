import ArgumentParser
import Pushpit

/// `pushpit certs`
struct Certs: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "The certificate authority that clients must trust, and the server's certificate.",
    discussion: """
      The authority is limited by name constraints to localhost, loopback addresses, push.apple.com and the names you \
      add: whoever trusts it cannot be fooled about the rest of the internet. A new name or --renew makes a new \
      authority, which clients must be given again; it permits what the old one did.
      """)

  @OptionGroup var state: Keys.StateOptions
  @Option(
    name: .customLong("name"), help: ArgumentHelp("Host name or address to add; may be repeated.", valueName: "host"))
  var names: [String] = []
  @Flag(help: "Make both anew.")
  var renew = false

  func run() throws {
    let report = try CertificateReport(try state.folder(), adding: names, renew: renew)
    Terminal.say(report.text)
    print(report.authorityPath)
  }
}
