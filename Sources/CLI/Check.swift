import ArgumentParser
import ClientCommands
import Grammar
import ScenarioFiles

/// `pushpit check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check scenarios without playing them.",
    discussion: """
      Prints the steps and expectations of each file with their times; an error names the file, line and column.

      Exit codes: 0 all files are valid scenarios, 2 a file is not.
      """)

  @Argument(help: ArgumentHelp("Scenario files.", valueName: "file"))
  var files: [String] = []
  @Flag(help: "Print the JSON Schema of scenario files, for editors (Scenarios/scenario.schema.json).")
  var schema = false

  func validate() throws {
    guard schema != !files.isEmpty else {
      throw ValidationError("Name a scenario file, such as Scenarios/first-steps.yaml, or use --schema.")
    }
  }

  func run() throws {
    if schema { return Terminal.announce(ScenarioSchema.text) }
    var isSound = true
    for file in files {
      do throws(InputProblem) {
        Terminal.announce(TerminalText.lines(Explanation(try ScenarioFile.read(file)).text))
      } catch {
        isSound = false
        Terminal.say("Error: \(error)")
      }
    }
    if !isSound { throw ExitCode(.invalid) }
  }
}
