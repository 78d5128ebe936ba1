extension Pushpit {
  /// Opens a session on phones that no other open session has.
  ///
  /// - Parameter words: what the phones must have (`app`, `os`), and members of `POST /v1/sessions` such as `name` and
  ///   `expect`. `devices`, `keys` or `topics` choose its pushes by something else, and `everything` takes all.
  public func session(phones: Int = 1, _ words: [String: JSON] = [:]) async throws -> Session {
    var order = words
    order.removeValue(forKey: "everything")
    if words["everything"]?.bool == true || ["devices", "keys", "topics"].contains(where: { words[$0] != nil }) {
      let app = order.removeValue(forKey: "app")?.string
      return Session(self, try await api.post("/v1/sessions", JSON(order)), app: app)
    }
    guard phones > 0 else {
      throw PushpitError(
        .misuse, "A session takes one phone or more, or else devices, keys, topics, or everything: true.")
    }
    let claim = Claim(phones, &order)
    guard let session = try await opened(claim, order) else { throw try await claim.problem(api) }
    return session
  }

  /// Nil if too few phones are free.
  func opened(_ claim: Claim, _ order: [String: JSON]) async throws -> Session? {
    var order = order
    order["claim"] = claim.words
    let opened: JSON
    do {
      opened = try await api.post("/v1/sessions", JSON(order))
    } catch let error as PushpitError where error.kind == .conflict && error.field == "claim" {
      return nil
    }
    let session = Session(self, opened, app: claim.app?.string)
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

/// The phones that a session wants.
struct Claim: Sendable {
  let count: Int
  let app: JSON?
  let os: JSON?

  /// Takes its words out of those of a session.
  init(_ count: Int, _ words: inout [String: JSON]) {
    self.count = count
    app = words.removeValue(forKey: "app")
    os = words.removeValue(forKey: "os")
  }

  var words: JSON { JSON(criteria.merging(["count": JSON(count)]) { given, _ in given }) }

  private var criteria: [String: JSON] { ["app": app, "os": os].compactMapValues(\.self) }

  /// Why no phones were found.
  func problem(_ api: AdminClient) async throws -> PushpitError {
    let query = criteria.merging(["online": true]) { given, _ in given }
    let many = try await api.pages("/v1/devices", "devices", query).count
    let which = criteria.sorted { $0.key < $1.key }.map { "\($0) \($1.string ?? $1.description)" }
    let phones = (many == 1 ? "phone" : "phones") + (which.isEmpty ? "" : " with " + which.joined(separator: " and "))
    guard many >= count else {
      let wanted = count == 1 ? "1 phone is wanted" : "\(count) phones are wanted"
      return PushpitError(.noFreePhone, "\(wanted), and the fleet has \(many) \(phones) online.")
    }
    let names = try await api.pages("/v1/sessions", "sessions", ["open": true]).map { $0["name"].text }
    let shown = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? ", …" : "")
    return PushpitError(
      .noFreePhone,
      "No phone is free: of \(many) \(phones) online, not \(count == 1 ? "one" : "\(count)") is outside the open "
        + "sessions (\(shown)). Close those that are over, or start with a larger fleet.")
  }
}
