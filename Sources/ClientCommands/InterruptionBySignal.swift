import Dispatch
import Transport

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A person's request to end a command without a loop of its own: SIGINT or SIGTERM. A second signal ends the process
/// at once.
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
