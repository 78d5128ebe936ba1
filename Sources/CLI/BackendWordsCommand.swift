import ArgumentParser

/// A command that takes words after `--` for the backend that it starts.
protocol BackendWordsCommand: ParsableCommand {
  /// - Parameter extra: words to append to the backend's command.
  func play(extra: [String]) throws
}
