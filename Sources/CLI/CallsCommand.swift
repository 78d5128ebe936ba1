import ArgumentParser
import ClientCommands

/// `pushpit calls`
struct CallsCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "calls", abstract: "List calls of the apps to your backend, newest first.",
    discussion: """
        pushpit calls --failed
        pushpit calls --device d0 --event deviceToken
        pushpit calls --status 500 --json | jq '.calls[].body'
      """)

  static let list = "calls"
  static let heading = ["time", "device", "app", "event", "call", "result"]
  static let nothing = "No call matches."

  @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
  @OptionGroup var page: PageOptions

  static func cells(of call: ListRow) -> [String] {
    [
      call.time("at"), call.text("device"), call.text("app"), call.text("event"),
      "\(call.text("method")) \(call.text("url"))", call.text("sentence"),
    ]
  }
}
