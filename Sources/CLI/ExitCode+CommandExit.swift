import ArgumentParser
import ClientCommands
import Pushpit

extension ExitCode {
  init(_ exit: CommandExit) { self.init(exit.rawValue) }

  /// The exit code of a command that has played a tape.
  init(_ ending: Replay.Ending) {
    switch ending {
    case .same: self.init(.done)
    case .differs: self.init(.no)
    case .cut: self.init(.unjudged)
    }
  }
}
