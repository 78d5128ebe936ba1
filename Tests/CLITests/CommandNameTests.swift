import ArgumentParser
import Testing

@testable import CLI

@Suite("Names of commands")
struct CommandNameTests {
  private static func commands(below command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap { commands(below: $0) }
  }

  // ArgumentParser derives a missing name from the type, at each start and for every command: a tenth of a start.
  @Test("every command states its name")
  func stated() {
    let commands = Self.commands(below: PushpitCommand.self)
    #expect(commands.contains { $0.configuration.commandName == "haproxy" }, "commands of commands are found")
    for command in commands { #expect(command.configuration.commandName != nil, "\(command)") }
  }
}
