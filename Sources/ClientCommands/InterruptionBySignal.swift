import Dispatch
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A person's request, by SIGINT or SIGTERM, to end a command that has no main loop. The command asks for it between
/// steps of its work; a second signal ends the process at once.
package final class InterruptionBySignal {
  private let interruption = Interruption()
  private let sources: [any DispatchSourceSignal]

  package init() {
    sources = [SIGINT, SIGTERM].filter { !MainLoop.isIgnored($0) }.map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: .global())
    }
    for source in sources {
      source.setEventHandler { [interruption] in
        if interruption.want() { _exit(CommandExit.interrupted.rawValue) }
      }
      source.resume()
    }
  }

  package var isWanted: Bool { interruption.isWanted }
}
