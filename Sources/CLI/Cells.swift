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
    subcommands: [Env.self, HAProxy.self, Check.self])

  struct LayoutOptions: ParsableArguments {
    @Option(name: .customLong("of"), help: ArgumentHelp("Number of cells, from 2 to 256.", valueName: "n"))
    var count: Int
    @Option(help: ArgumentHelp("Host of the cells; {cell} stands for the number.", valueName: "host"))
    var host = "localhost"
    @Option(
      help: ArgumentHelp(
        "Port of cell 0. Default: 2197, or 2199, the relay's, where a relay is meant.", valueName: "port"))
    var port: Int?
    @Option(
      help: ArgumentHelp(
        "How much higher each next cell's port is. Default: 10, or 0 if --host contains {cell}.", valueName: "n"))
    var step: Int?

    func layout(usualPort: Int = 2197) throws -> CellLayout {
      do throws(CellProblem) {
        return try CellLayout(count, host: host, port: port ?? usualPort, step: step)
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

  struct HAProxy: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "haproxy",
      abstract: "Print a configuration for HAProxy, which gives all cells one address.",
      discussion: """
        HAProxy ends TLS and routes each push by the second byte of its token; cells are started with --relay:

          pushpit serve --cell 0/4 --relay 2199 ...
          pushpit cells haproxy --of 4 > haproxy.cfg

        With --tcp it passes bytes on instead, with one port for each cell, beginning at --listen's.
        """)

    @OptionGroup var options: LayoutOptions
    @Flag(help: "Pass bytes on, with a port for each cell; nothing of the wire changes.")
    var tcp = false
    @Option(help: ArgumentHelp("Where senders connect to HAProxy.", valueName: "address"))
    var listen = "127.0.0.1:443"
    @Option(help: ArgumentHelp("Unix socket of each cell's relay, with {cell}, instead of ports.", valueName: "path"))
    var socket: String?
    @Option(help: ArgumentHelp("HAProxy's certificate and key in one PEM file.", valueName: "file"))
    var certificate = "/etc/haproxy/pushpit.pem"
    @Option(help: ArgumentHelp("The state folder's ca.pem, as HAProxy finds it.", valueName: "file"))
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
      abstract: "Check that running servers are all the cells of one fleet: exit code 0 if they are, 1 if not.",
      discussion: """
          pushpit cells check --cells http://127.0.0.1:21900,http://127.0.0.1:21901
        """)

    @Option(help: ArgumentHelp("URLs of the cells' admin APIs, separated by commas.", valueName: "url,…"))
    var cells: String
    @OptionGroup var state: Keys.StateOptions

    func run() throws {
      do {
        let urls = cells.split(separator: ",").map(String.init)
        for line in try CellCheck(urls, try state.folder()).lines { Terminal.announce(line) }
      } catch let problem as CellProblem {
        throw Failed(problem.description)
      }
    }
  }
}
