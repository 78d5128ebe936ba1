import ArgumentParser
import Grammar
import ScenarioFiles

/// `pushpit check`
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Read scenarios without playing them, and say what they mean.",
    discussion: """
      Says for each file what happens when and what is judged when; an error names the file, the line and the column.

      Exit codes: 0 all files are scenarios, 2 one is not.
      """)

  @Argument(help: ArgumentHelp("Scenario files.", valueName: "file"))
  var files: [String] = []
  @Flag(help: "Print the JSON Schema of scenario files, for editors (Scenarios/scenario.schema.json).")
  var schema = false

  func validate() throws {
    guard schema != !files.isEmpty else {
      throw ValidationError("Name scenario files, such as Scenarios/first-steps.yaml, or say --schema.")
    }
  }

  func run() throws {
    if schema { return Terminal.announce(ScenarioSchema.text) }
    var isSound = true
    for file in files {
      do throws(InputProblem) {
        Terminal.announce(Explanation(try ScenarioFile.read(file)).text)
      } catch {
        isSound = false
        Terminal.say("Error: \(error)")
      }
    }
    if !isSound { throw ExitCode(2) }
  }
}
