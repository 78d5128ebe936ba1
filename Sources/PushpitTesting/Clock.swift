import Testing

extension Pushpit {
  /// The world's clock. Phones, activities and lifetimes follow it; provider tokens do not.
  public struct Clock: Sendable {
    let api: AdminClient

    /// Advancing by years may take minutes.
    private static let patience: Duration = .seconds(600)

    /// `mode` (wall or manual), `now`, `unixMilliseconds`, `offsetMilliseconds`.
    public func state(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
      try await at(sourceLocation) { try await api.get("/v1/clock") }
    }

    /// Seconds since 1970.
    public func now(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Double {
      (try await state(sourceLocation: sourceLocation)["unixMilliseconds"].double ?? 0) / 1000
    }

    /// Advances the clock. When it returns, everything that was due in between has happened.
    @discardableResult
    public func advance(
      by duration: Duration, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> JSON {
      try await at(sourceLocation) { try await advance(by: duration.json) }
    }

    /// Advances the clock by a text such as `8h`, or by seconds.
    func advance(by amount: JSON) async throws -> JSON {
      try await api.wait("/v1/clock", ["advance": amount], timeout: Self.patience)
    }

    /// Stops the clock: from now on only ``advance(by:sourceLocation:)`` moves it.
    @discardableResult
    public func stop(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
      try await at(sourceLocation) { try await api.post("/v1/clock", ["mode": "manual"]) }
    }

    /// Lets the clock run from where it is.
    @discardableResult
    public func run(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
      try await at(sourceLocation) { try await api.post("/v1/clock", ["mode": "wall"]) }
    }
  }
}
