extension Pushpit {
  /// How long tests wait if they do not say.
  public static let patience: Duration = .seconds(10)

  /// Looks again and again until it is true.
  ///
  /// - Parameter what: what is waited for, for the error.
  public static func wait(
    _ what: String = "What was waited for", within: Duration = patience,
    isolation: isolated (any Actor)? = #isolation, until look: () async throws -> Bool
  ) async throws {
    guard try await Polling.last(within, look, until: { $0 }) else {
      throw PushpitError(.waitTimeout, "\(what) did not come within \(within.seconds) s.")
    }
  }
}

/// Looks again and again at something that a backend does in its own time. Nothing announces it, so no event can be
/// awaited.
enum Polling {
  private static let shortest: Duration = .milliseconds(10)
  private static let longest: Duration = .milliseconds(250)

  /// What was seen last: what `isEnough`, or what there was when the time was over.
  static func last<Value: Sendable>(
    _ within: Duration, isolation: isolated (any Actor)? = #isolation, _ look: () async throws -> Value,
    until isEnough: (Value) throws -> Bool
  ) async throws -> Value {
    let end = ContinuousClock.now + within
    var pause = shortest
    while true {
      let seen = try await look()
      let left = ContinuousClock.now.duration(to: end)
      if try isEnough(seen) || left <= .zero { return seen }
      try await Task.sleep(for: min(pause, left))
      pause = min(pause * 1.5, longest)
    }
  }
}
