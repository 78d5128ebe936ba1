import Testing

extension Pushpit.Phone {
  /// Kinds of what was sent that leave a client without an answer of APNs.
  private static let unanswered: [Pushpit.SentKind] = [.incomplete, .malformed, .nothing, .reset]

  /// Sends a push with this payload to the phone, in place of your backend. The server signs it, and chooses the token
  /// and the headers that no option names.
  @discardableResult
  public func send(
    _ payload: JSON, _ options: Pushpit.PushOption..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Pushpit.Push {
    try await at(sourceLocation) { try await send(["payload": payload], options) }
  }

  /// Sends an alert with this text to the phone, in place of your backend.
  @discardableResult
  public func send(
    _ alert: String = "Hello", _ options: Pushpit.PushOption..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Pushpit.Push {
    try await at(sourceLocation) { try await send(["payload": ["aps": ["alert": JSON(alert)]]], options) }
  }

  /// Sends a push with this body, which need not be JSON, to the phone.
  @discardableResult
  public func send(
    raw: String, _ options: Pushpit.PushOption..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Pushpit.Push {
    try await at(sourceLocation) { try await send(["raw": JSON(raw)], options) }
  }

  func send(_ body: JSON, _ options: [Pushpit.PushOption]) async throws -> Pushpit.Push {
    let order = body.adding(members: ["app": givenApp]).adding(options.object.object ?? [:])
    let push: Pushpit.Push
    do {
      push = Pushpit.Push(raw: try await pushpit.api.post(path + "/pushes", order))
    } catch let error as PushpitError where [.conflict, .notFound].contains(error.kind) {
      throw PushpitError(.send, error.sentence)
    }
    if let sent: Pushpit.SentKind = push.sent["as"].word(), Self.unanswered.contains(sent) {
      throw PushpitError(.send, "The push was not answered: \(push.why)")
    }
    return push
  }
}
