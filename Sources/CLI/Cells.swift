import ArgumentParser
import ClientCommands

/// `pushpit cells`
struct Cells: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cells", abstract: "Use several servers as one fleet, for load tests.",
    discussion: """
      Shows how senders and load balancers find the cells. Each cell is a server with the same settings and its own \
      number, started with --cell 3/16. A push belongs to the cell that the second byte of its device token names: \
      that byte modulo the number of cells. See docs/cells.md.
      """,
    subcommands: [Env.self, HAProxy.self, Check.self, Play.self])

  struct PlaceOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Host of the cells; {cell} stands for the number.", valueName: "host"))
    var host = "localhost"
    @Option(
      help: ArgumentHelp(
        "Port of cell 0. Default: 2197, or 2199 for relays, or 2190 for admin APIs.",
        valueName: "port"))
    var port: Int?
    @Option(
      help: ArgumentHelp(
        "Step from one cell's port to the next. Default: 10, or 0 if --host contains {cell}.", valueName: "n"))
    var step: Int?

    func layout(of count: Int, usualPort: Int) throws -> CellLayout {
      do throws(CellProblem) {
        return try CellLayout(count, host: host, port: port ?? usualPort, step: step)
      } catch {
        throw ValidationError(error.description)
      }
    }
  }

  struct LayoutOptions: ParsableArguments {
    @Option(name: .customLong("of"), help: ArgumentHelp("Number of cells, from 2 to 256.", valueName: "n"))
    var count: Int
    @OptionGroup var places: PlaceOptions

    func layout(usualPort: Int = 2197) throws -> CellLayout { try places.layout(of: count, usualPort: usualPort) }
  }

  /// The admin APIs of all cells.
  struct AdminsOptions: ParsableArguments {
    @Option(help: ArgumentHelp("URLs of the cells' admin APIs, separated by commas.", valueName: "url,…"))
    var cells: String?
    @Option(
      name: .customLong("of"),
      help: ArgumentHelp(
        "Number of cells, instead of --cells: their admin APIs are at --host and --port.", valueName: "n"))
    var count: Int?
    @OptionGroup var places: PlaceOptions
    @OptionGroup var state: Keys.StateOptions

    func validate() throws {
      guard (cells == nil) != (count == nil) else {
        throw ValidationError("Name the cells: --cells with the URLs of their admin APIs, or --of with their number.")
      }
    }

    /// Asks each cell; throws a sentence if they are not those of one fleet.
    func check() throws -> CellCheck {
      let urls =
        try count.map { try places.layout(of: $0, usualPort: 2190).admins }
        ?? cells.map { $0.split(separator: ",").map(String.init) } ?? []
      return try CellCheck(urls)
    }
  }

  struct Env: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "env",
      abstract: "Print the URL of each cell as a variable, for senders that can use several servers.",
      discussion: """
          pushpit cells env --of 4
          pushpit cells env --of 16 --host 'pushpit-{cell}.pushpit' > cells.env
        """)

    @OptionGroup var options: LayoutOptions

    func run() throws { Terminal.announce(String(try options.layout().variables.dropLast())) }
  }

  struct HAProxy: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "haproxy",
      abstract: "Print a configuration for HAProxy, which gives all cells one address.",
      discussion: """
        HAProxy ends TLS and routes each push by the second byte of its token; cells are started with --relay:

          pushpit serve --cell 0/4 --relay 2199 ...
          pushpit cells haproxy --of 4 > haproxy.cfg

        With --tcp it forwards the bytes instead, with one port for each cell, beginning at the port of --listen.
        """)

    @OptionGroup var options: LayoutOptions
    @Flag(help: "Forward the bytes unchanged, with one port for each cell.")
    var tcp = false
    @Option(help: ArgumentHelp("Where senders connect to HAProxy.", valueName: "address"))
    var listen = "127.0.0.1:443"
    @Option(help: ArgumentHelp("Unix socket of each cell's relay, with {cell}, instead of ports.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("HAProxy's certificate and key in one PEM file.", valueName: "file"))
    var certificate = "/etc/haproxy/pushpit.pem"
    @Option(help: ArgumentHelp("Path of the state folder's ca.pem on HAProxy's machine.", valueName: "file"))
    var authority = "/etc/haproxy/pushpit-ca.pem"

    func run() throws {
      let layout = try options.layout(usualPort: tcp ? 2197 : 2199)
      do throws(CellProblem) {
        let files = HAProxyConfiguration.Files(certificate: certificate, authority: authority)
        let made = try HAProxyConfiguration(layout, listen: listen, socket: socket, files: files)
        let text = try tcp ? made.passing() : made.relaying
        Terminal.announce(String(text.dropLast()))
      } catch {
        throw ValidationError(error.description)
      }
    }
  }

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Check that running servers are all the cells of one fleet.",
      discussion: """
          pushpit cells check --cells http://127.0.0.1:21900,http://127.0.0.1:21901

        Exit codes: 0 they are, 1 they are not, 2 invalid usage, 4 a cell does not answer.
        """)

    @OptionGroup var admins: AdminsOptions

    func run() throws {
      do {
        for line in try admins.check().lines { Terminal.announce(line) }
      } catch let problem as CellProblem {
        throw CommandFailure(problem.description)
      }
    }
  }

  struct Play: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Play a scenario on all cells of a running fleet, and evaluate it for the fleet as a whole.",
      discussion: """
          pushpit cells run story.yaml --cells http://127.0.0.1:21900,http://127.0.0.1:21901

        Each cell begins with new phones and plays its part of the file; their clocks move together. Prints a line for \
        each expectation, with the number of the whole fleet and those of the cells. The settings of the file must be \
        those with which the cells were started. A backend is not started.

        Exit codes: 0 all expectations passed, 1 one failed or a step could not be done, 2 the file is not valid for \
        these cells, or the servers are not all the cells of one fleet, 3 a cell stopped answering, 4 a cell does not \
        answer, 130 interrupted.
        """)

    @Argument(help: ArgumentHelp("The scenario file.", valueName: "file"))
    var file: String
    @OptionGroup var admins: AdminsOptions
    @Option(parsing: .unconditional, help: ArgumentHelp("Seed; overrides that of the file.", valueName: "n"))
    var seed: UInt64?
    @Option(help: ArgumentHelp("Scenario seconds per real second.", valueName: "n"))
    var speed = 1.0
    @Option(help: ArgumentHelp("Write the report as JUnit XML; - for standard output.", valueName: "file|-"))
    var junit: String?
    @Option(help: ArgumentHelp("Write the report as JSON; - for standard output.", valueName: "file|-"))
    var json: String?

    func validate() throws {
      try Run.check(speed: speed)
      guard junit != OutputFile.standardOutput || json != OutputFile.standardOutput else {
        throw ValidationError("Only one of --junit and --json can be - (standard output).")
      }
    }

    func run() throws {
      let suite = try junit.map { path throws(CommandFailure) in try OutputFile(path, for: "--junit", reading: [file]) }
      let report = try json.map { path throws(CommandFailure) in try OutputFile(path, for: "--json", reading: [file]) }
      do throws(CellRun.Failure) {
        let outcome = try checked().play { Terminal.say($0) }
        let isForProgram = [junit, json].contains(OutputFile.standardOutput)
        if isForProgram { Terminal.say(outcome.text) } else { Terminal.announce(outcome.text) }
        do {
          try suite?.write(outcome.junit)
          try report?.write(outcome.json)
        } catch {
          throw CellRun.Failure.aborted("\(error)")
        }
        if !outcome.passed { throw CellRun.Failure.failed }
      } catch {
        let (sentence, code) = error.exit
        if let sentence { Terminal.say("Error: \(sentence)") }
        throw ExitCode(code)
      }
    }

    private func checked() throws(CellRun.Failure) -> CellRun {
      do {
        return CellRun(file, on: try admins.check(), seed: seed, speed: speed)
      } catch let problem as ValidationError {
        throw .refused(problem.message)
      } catch let failure as CommandFailure where failure.exit == .noServer {
        throw .noServer(failure.description)
      } catch {
        throw .refused("\(error)")
      }
    }
  }
}
