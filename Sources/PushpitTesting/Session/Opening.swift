extension Pushpit {
  /// A test that hangs or dies does not keep its phone forever.
  private static let sessionLife: JSON = "1h"

  /// Opens a session on phones that no other open session has.
  ///
  /// - Parameter words: what the phones must have (`app`, `os`), and members of `POST /v1/sessions` such as `name` and
  ///   `expect`. `devices`, `keys` or `topics` choose its pushes by something else, and `everything` takes all. It is
  ///   closed after `expires` at the latest: after an hour without it, never with null.
  public func session(phones: Int = 1, _ words: [String: JSON] = [:]) async throws -> Session {
    var order = words
    order.removeValue(forKey: "everything")
    order["expires"] = words["expires"] ?? Self.sessionLife
    if order["expires"]?.isNull == true { order.removeValue(forKey: "expires") }
    let app = order.removeValue(forKey: "app")
    if words["everything"]?.bool == true || ["devices", "keys", "topics"].contains(where: { words[$0] != nil }) {
      return Session(self, try await api.post("/v1/sessions", JSON(order)), app: app?.string)
    }
    guard phones > 0 else {
      throw PushpitError(
        .misuse, "A session takes one phone or more, or else devices, keys, topics, or everything: true.")
    }
    let claim: [String: JSON?] = ["count": JSON(phones), "app": app, "os": order.removeValue(forKey: "os")]
    order["claim"] = JSON(claim.compactMapValues(\.self))
    let opened: JSON
    do {
      opened = try await api.post("/v1/sessions", JSON(order))
    } catch let error as PushpitError where error.kind == .conflict && error.field == "claim" {
      throw PushpitError(.noFreePhone, error.sentence)
    }
    let session = Session(self, opened, app: app?.string)
    for phone in session.phones { try await phone.clear() }
    return session
  }

  /// Opens a session, and closes it after `body`; what the session expected must be true then.
  public func withSession<Value>(
    phones: Int = 1, _ words: [String: JSON] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: (Session) async throws -> Value
  ) async throws -> Value {
    let session = try await self.session(phones: phones, words)
    let value: Value
    do {
      value = try await body(session)
    } catch {
      // The error of the body says more than one of the end.
      _ = try? await session.close()
      throw error
    }
    try await session.close().check()
    return value
  }
}

extension Pushpit.Session {
  /// Sets a fault, and removes it after `body`.
  public func withFault<Value>(
    _ words: [String: JSON], isolation: isolated (any Actor)? = #isolation,
    _ body: (Pushpit.Fault) async throws -> Value
  ) async throws -> Value {
    let fault = try await self.fault(words)
    let value: Value
    do {
      value = try await body(fault)
    } catch {
      try? await fault.delete()
      throw error
    }
    try await fault.delete()
    return value
  }
}
