import ArgumentParser
import ClientCommands

/// `pushpit phone`
struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone",
    abstract: "Draw the screen of a phone.",
    discussion: """
      Shows Live Activities, notifications, badges and the Dynamic Island, in 80 columns. Control and invisible \
      characters of a payload are drawn as escapes such as \\u{1b}.

        pushpit phone d0
        watch pushpit phone d0
        pushpit phone d0 --json | jq .notifications
      """)

  @Argument(help: "Device of the fleet, such as d0.", completion: .devices)
  var device: String
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard !device.isEmpty else { throw ValidationError("The name of the device is empty.") }
  }

  func run() throws {
    let api = try answer.server.api()
    let screen = try api.perform(AdminAPI.Order("v1", "devices", device, "screen"))
    guard !answer.isJSON else { return answer.print(screen) }
    let view = try api.perform(AdminAPI.Order("v1", "devices", device))
    Terminal.announce(PhoneDrawing(device: view.value, screen: screen.value).lines)
  }
}
