import Synchronization

/// The servers of tests with the trait: one for each set of options. They serve until the process ends.
enum SharedServers {
  private static let starting = Mutex<[ServerOptions: Task<Pushpit, any Error>]>([:])

  /// The first test that asks for a server starts it. A server that could not start is not tried again.
  static func server(_ options: ServerOptions) async throws -> Pushpit {
    let task = starting.withLock { starting -> Task<Pushpit, any Error> in
      if let task = starting[options] { return task }
      let task = Task { try await Pushpit.start(options) }
      starting[options] = task
      return task
    }
    return try await task.value
  }
}
