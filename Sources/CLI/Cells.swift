import ArgumentParser
import Commands

/// `pushpit cells`
struct Cells: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Several servers as one: how senders and load balancers find the cells of a fleet.",
    discussion: """
      Each cell is a server with the same settings and its own number, started with --cell 3/16. A push belongs to the \
      cell that the second byte of its device token names: that byte modulo the number of cells. See docs/cells.md.
      """,
    subcommands: [Env.self])

  struct LayoutOptions: ParsableArguments {
    @Option(name: .customLong("of"), help: ArgumentHelp("Number of cells, from 2 to 256.", valueName: "n"))
    var count: Int
    @Option(help: ArgumentHelp("Host of the cells; {cell} stands for the number.", valueName: "host"))
    var host = "localhost"
    @Option(help: ArgumentHelp("Port of cell 0.", valueName: "port"))
    var port = 2197
    @Option(
      help: ArgumentHelp(
        "How much higher each next cell's port is. Default: 10, or 0 if --host contains {cell}.", valueName: "n"))
    var step: Int?

    func layout() throws -> CellLayout {
      do throws(CellProblem) {
        return try CellLayout(count, host: host, port: port, step: step)
      } catch {
        throw ValidationError(error.description)
      }
    }
  }

  struct Env: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the URL of each cell as a variable, for senders that can be told.",
      discussion: """
          pushpit cells env --of 4
          pushpit cells env --of 16 --host 'pushpit-{cell}.pushpit' > cells.env
        """)

    @OptionGroup var options: LayoutOptions

    func run() throws { Terminal.announce(String(try options.layout().variables.dropLast())) }
  }
}
