import ArgumentParser
import ClientCommands

/// `pushpit findings`
struct FindingsCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "findings", abstract: "List mistakes of your backend that the audit has found.",
    discussion: """
      The server audits with --audit; sessions always have findings.

        pushpit findings
        pushpit findings --kind hastyRetry
      """)

  static let list = "findings"
  static let heading = ["time", "kind", "device", "push", "finding"]
  static let nothing = "There is no such finding."

  @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
  @OptionGroup var page: PageOptions

  static func cells(of finding: ListRow) -> [String] {
    [
      finding.time("at"), finding.text("kind"), finding.text("device"), finding.shortID("apnsId"),
      finding.text("sentence"),
    ]
  }
}
