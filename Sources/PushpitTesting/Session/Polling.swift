import Testing

extension Pushpit {
  /// The time for which tests wait by default.
  public static let patience: Duration = .seconds(10)

  /// Checks a condition repeatedly until it is true.
  ///
  /// - Parameter what: what is waited for, for the error.
  public static func waitFor(
    _ what: String = "What was expected", within: Duration = patience,
    sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ look: () async throws -> Bool
  ) async throws {
    guard try await !Polling.last(within, look, until: { $0 }) else { return }
    throw PushpitError(.waitTimeout, "\(what) did not come within \(within.seconds) s.", at: sourceLocation)
  }
}

/// Checks repeatedly for something that a backend does in its own time. Nothing announces it, so there is no event to
/// wait for.
enum Polling {
  /// Factor for all waits: a hunt asks whether what did not come comes late.
  @TaskLocal static var patience = 1

  private static let shortest: Duration = .milliseconds(10)
  private static let longest: Duration = .milliseconds(250)

  /// The last value seen: the first for which `isEnough` is true, or one of the end of the time or later.
  static func last<Value: Sendable>(
    _ within: Duration, on clock: some Clock<Duration> = ContinuousClock(),
    isolation: isolated (any Actor)? = #isolation, _ look: () async throws -> Value,
    until isEnough: (Value) throws -> Bool
  ) async throws -> Value {
    let end = clock.now.advanced(by: within * patience)
    var pause = shortest
    while true {
      // Before the look, which may take longer than the time that is left: what it has seen may be old by then.
      let left = clock.now.duration(to: end)
      let seen = try await look()
      if try isEnough(seen) || left <= .zero { return seen }
      try await clock.sleep(for: min(pause, left))
      pause = min(pause * 1.5, longest)
    }
  }
}
