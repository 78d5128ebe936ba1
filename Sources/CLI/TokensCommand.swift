import ArgumentParser
import ClientCommands

/// `pushpit tokens`
struct TokensCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "tokens", abstract: "List tokens, or print one for a script.",
    discussion: """
      With a device and --kind, prints bare tokens, one a line: those of --app, or of the first app that has any. \
      Without such a token, ends with exit code 1.

        pushpit tokens d0
        token=$(pushpit tokens d0 --kind device)
        pushpit tokens --kind update
      """)

  static let list = "tokens"
  static let heading = ["device", "kind", "app", "environment", "token"]
  static let nothing = "No token matches."
  static let flags = RequestFlag.filters(of: "/v1/tokens").filter { $0.key != "device" }.map { DerivedFlag($0) }

  @Argument(help: "Device of the fleet, such as d0. Default: all.", completion: .devices)
  var device: String?
  @OptionGroup(title: "Filters") var filters: DerivedFlags<Self>
  @OptionGroup var page: PageOptions

  func validate() throws {
    guard device != "" else { throw ValidationError("The name of the device is empty.") }
  }

  func run() throws {
    let wanted = (device.map { [("device", $0)] } ?? []) + filters.given
    func value(_ key: String) -> String? { wanted.first { $0.key == key }?.value }
    guard let device, let kind = value("kind"), !page.answer.isJSON else {
      return try show(wanted)
    }
    let order = page.order(
      Self.list, filters: wanted.filter { $0.key != "live" } + [("live", value("live") ?? "true")], of: Self.flags)
    let tokens = BareTokens(try page.answer.server.api().perform(order).value)
    guard !tokens.all.isEmpty else {
      let owner = value("app").map { "\($0) on \(device)" } ?? device
      throw CommandFailure("\(owner) has no token of the kind \(kind); `pushpit tokens \(device)` lists its tokens.")
    }
    for token in tokens.all { Terminal.announce(token) }
  }

  static func cells(of token: ListRow) -> [String] {
    let details = [token.given("attributesType"), token.given("activity")].compactMap(\.self)
    let kind = ([token.text("kind")] + details).joined(separator: " ")
    return [
      token.text("device"), token.isFalse("live") ? kind + " (dead)" : kind, token.text("app"),
      token.text("environment"), token.text("token"),
    ]
  }
}
