import Testing

extension Pushpit {
  /// Opens a session on phones that no other open session has. It is closed after an hour at the latest, so that a test
  /// that hangs or dies does not keep its phones; `.expires` sets another time.
  ///
  /// - Parameter options: what the phones must have, such as `.app("com.example.store")` and `.os("18")`, and what must
  ///   be true in the end: `.expect(…)`. `.devices`, `.keys` or `.topics` choose its pushes by something else, and
  ///   `.everything` takes all.
  public func session(
    phones: Int = 1, _ options: SessionOption..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Session {
    try await at(sourceLocation) { try await session(phones: phones, options) }
  }

  func session(phones: Int = 1, _ options: [SessionOption]) async throws -> Session {
    let wishes = options.filter { SessionOption.ofPhones.contains($0.name) }.object
    let others = options.filter { !(SessionOption.ofPhones + [SessionOption.everything.name]).contains($0.name) }
    let app = wishes["app"].string
    var order = ([.expires(SessionOption.life)] + others).object
    let expected = options.filter { $0.name == "expect" }.flatMap(\.value.rows)
    if !expected.isEmpty { order = order.adding(["expect": JSON(expected)]) }
    guard !options.contains(where: { SessionOption.insteadOfPhones.contains($0.name) }) else {
      for wish in ["os", "online"] where !wishes[wish].isNull {
        throw PushpitError(
          .misuse,
          "\(wish) selects phones for the session to claim; leave it out beside devices, keys, topics or everything.")
      }
      return Session(self, try await api.post("/v1/sessions", order), app: app)
    }
    guard phones > 0 else {
      throw PushpitError(.misuse, "A session takes one phone or more, or else devices, keys, topics, or everything.")
    }
    order = order.adding(["claim": wishes.adding(["count": JSON(phones)])])
    let opened: JSON
    do {
      opened = try await api.post("/v1/sessions", order)
    } catch let error as PushpitError where error.kind == .conflict && error.field == "claim" {
      throw PushpitError(.noFreePhone, error.sentence)
    }
    let session = Session(self, opened, app: app)
    do {
      for phone in session.phones { try await phone.clear() }
    } catch {
      // Nobody else knows of the session.
      _ = try? await session.close()
      throw error
    }
    return session
  }

  /// Opens a session, and closes it after `body`; what the session expected must be true then.
  public func withSession<Value>(
    phones: Int = 1, _ options: SessionOption..., sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: (Session) async throws -> Value
  ) async throws -> Value {
    let opened = try await at(sourceLocation) { try await session(phones: phones, options) }
    return try await opened.during(at: sourceLocation, body)
  }
}

extension Pushpit.Session {
  /// Closes the session after `body`; what it expected must be true then.
  func during<Value>(
    at place: SourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ body: (Pushpit.Session) async throws -> Value
  ) async throws -> Value {
    let value: Value
    do {
      value = try await body(self)
    } catch {
      // The error of the body says more than one of the end.
      _ = try? await close()
      throw error
    }
    try await at(place) { try await close().check() }
    return value
  }
}

extension Pushpit.SessionOption {
  fileprivate static let life: Duration = .seconds(3600)
  fileprivate static let ofPhones = ["app", "os", "online"]
  fileprivate static let insteadOfPhones = ["devices", "keys", "topics", everything.name]

  /// All pushes, instead of those to some phones.
  public static let everything = Self("everything", true)

  /// Expectations that must be met when the session is closed.
  public static func expect(_ expectations: Pushpit.Expectation...) -> Self { .expect(expectations) }

  static func expect(_ expectations: [Pushpit.Expectation]) -> Self { Self("expect", expectations) }

  /// The time after which the session is closed at the latest; nil for never.
  public static func expires(_ time: Duration?) -> Self { Self("expires", time?.json ?? JSON.null) }
}
