import ArgumentParser
import ClientCommands

/// `pushpit do`
struct DoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "do", abstract: "Do something on a phone or on many, such as swipe.",
    discussion: """
      Actions and their details are those of POST /v1/devices/{id}/actions (docs/admin-api.md). Several devices are \
      separated by commas; all selects those that match the filters.

        pushpit do d0 permit notifications=denied
        pushpit do d0 startActivity contentState='{"score":0}'
        pushpit do d0,d1 goOffline
        pushpit do all goOffline --share 10%
      """)

  @Argument(help: "d0, d0,d1 or all.", completion: .devices)
  var devices: String
  @Argument(help: "The action, such as swipe.", completion: .list(ActionWords.all))
  var action: String
  @Argument(help: ArgumentHelp("Details of the action.", valueName: "key=value"))
  var details: [String] = []
  @OptionGroup(title: "Filters of all") var filters: DerivedFlags<DevicesCommand>
  @Option(help: ArgumentHelp("A share of these devices, such as 10%.", valueName: "share"))
  var share: String?
  @OptionGroup var answer: AnswerOptions

  func validate() throws {
    guard !devices.isEmpty else { throw ValidationError("The name of the device is empty.") }
    let isFiltered = share != nil || !filters.given.isEmpty
    guard !isFiltered || devices == ActionOrder.all else {
      throw ValidationError("Filters need all in place of \(devices): pushpit do all \(action) …")
    }
  }

  func run() throws {
    var order = try ActionOrder(action, on: devices, details: details)
    order.conditions =
      filters.given.map { (name: $0.key, value: $0.value) } + (share.map { [(name: "share", value: $0)] } ?? [])
    guard !order.isForOne else { return try answer.show(order.order()) { ActionReport.events($0.value) } }
    try perform(order)
  }

  /// Goes on until the whole fleet has been reached.
  private func perform(_ order: ActionOrder) throws {
    let api = try answer.server.api()
    var report = ActionReport()
    var cursor: String?
    repeat {
      let page = try api.perform(order.order(from: cursor))
      if answer.isJSON { answer.print(page) }
      report.add(page.value)
      cursor = page.next
    } while cursor != nil
    if !answer.isJSON { report.lines.forEach { Terminal.announce($0) } }
    if report.isNone { throw ExitCode(.no) }
  }
}
