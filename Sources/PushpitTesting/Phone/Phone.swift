import Testing

extension Pushpit {
  /// A virtual iPhone.
  public struct Phone: Sendable {
    public let pushpit: Pushpit
    /// The phone's id, such as `d0`.
    public let device: String
    /// The name of the session that it was opened for.
    let session: String?
    /// The app that tests are about; nil for the phone's first.
    let givenApp: String?

    var path: String { "/v1/devices/\(AdminClient.part(device))" }

    /// Bundle id of the app that tests are about.
    public func app(sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
      if let givenApp { return givenApp }
      return try await state(sourceLocation: sourceLocation)["apps"][0]["bundleId"].text
    }

    /// The phone with its apps, tokens and activities, as the admin API shows it.
    public func state(sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON {
      try await at(sourceLocation) { try await pushpit.api.get(path) }
    }

    /// The current token of the phone.
    public func token(
      _ kind: TokenKind = .device, app: String? = nil, attributesType: String? = nil,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
      try await at(sourceLocation) {
        let bundle = if let app { app } else { try await self.app() }
        let query = JSON(members: ["device": device, "kind": kind, "app": bundle, "live": true])
        let rows = try await pushpit.api.get("/v1/tokens", query.object ?? [:])["tokens"].array ?? []
        let found = rows.filter { attributesType == nil || $0["attributesType"].string == attributesType }
        guard let token = found.first else {
          throw PushpitError(.noToken, "\(device) has no \(kind.rawValue) token of \(bundle) now.")
        }
        guard kind != .update || found.count == 1 else {
          throw PushpitError(
            .noToken, "\(device) has \(found.count) update tokens of \(bundle): take one from state().")
        }
        return token["token"].text
      }
    }

    /// The screen as a person would see it now.
    public func screen(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Screen {
      try await at(sourceLocation) { Screen(raw: try await pushpit.api.get(path + "/screen")) }
    }

    /// The phone's log, newest first.
    ///
    /// - Parameter process: nil for the lines of all processes.
    public func log(
      _ process: Process? = nil, limit: Int = 100, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [LogLine] {
      let query = JSON(members: ["process": process, "limit": limit])
      return try await at(sourceLocation) {
        (try await pushpit.api.get(path + "/log", query.object ?? [:])["lines"].array ?? []).map(LogLine.init)
      }
    }

    /// Pushes to the phone, newest first; only those of its session if it has one.
    public func pushes(
      _ filters: PushFilter..., limit: Int = 100, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> [Push] {
      try await at(sourceLocation) { try await pushes(filters, limit: limit) }
    }

    func pushes(_ filters: [PushFilter], limit: Int) async throws -> [Push] {
      guard !filters.contains(where: { $0.name == "device" }) else {
        throw PushpitError(.misuse, "All pushes of a phone are to that phone, \(device); leave device out.")
      }
      var own = filters + [.device(device)]
      if let session { own.append(PushFilter("session", session)) }
      return try await pushpit.pushes(own, limit: limit)
    }

    /// Performs an action of its owner, or an event on the phone: `.uninstall`, `.goOffline`,
    /// `.permit(notifications: .denied)`.
    ///
    /// - Returns: the events that it caused.
    @discardableResult
    public func `do`(_ action: Action, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [JSON] {
      try await at(sourceLocation) {
        try await pushpit.api.post(path + "/actions", action.json)["events"].array ?? []
      }
    }

    /// Waits until the screen shows something: `.notification(.title("Goal!"))`, `.cards(1)`, `.badge(3)`.
    @discardableResult
    public func expect(
      _ shown: Shown..., within: Duration = Pushpit.patience, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Screen {
      try await at(sourceLocation) { try await expect(shown, within: within) }
    }

    func expect(_ shown: [Shown], within: Duration) async throws -> Screen {
      let wanted: JSON = ["screens": ["device": JSON(device)], "show": shown.object]
      let result = try await pushpit.api.verify(wanted, within: within)
      guard result["passed"].bool != true else { return try await screen() }
      let nearest = result["nearest"].text.replacing("\(device): ", with: "", maxReplacements: 1)
      throw PushpitError(.expectation, "\(device) does not show it within \(within.seconds) s: \(nearest).")
    }

    /// Removes what an earlier test has left on the screen.
    public func clear(sourceLocation: SourceLocation = #_sourceLocation) async throws {
      try await at(sourceLocation) {
        let screen = try await screen()
        for card in screen.cards { try await attempt(.swipe(app: card.app, activity: card.activity)) }
        for app in Set(screen.notifications.map(\.app)).sorted() { try await attempt(.clearNotifications(app: app)) }
      }
    }

    private func attempt(_ action: Action) async throws {
      do {
        try await self.do(action)
      } catch let error as PushpitError where error.status == 422 {
        // It has gone meanwhile.
      }
    }
  }
}
